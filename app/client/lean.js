// Bokeh's models as a live page needs them: of what is drawn ten times a second, only what is seen.

const leanKinds = new Map()

// A kind of model whose views have the ``changes``.
function lean(name, changes) {
  if (!leanKinds.has(name)) {
    const kind = class extends model(name) {}
    kind.prototype.default_view = changes(model(name).prototype.default_view)
    leanKinds.set(name, kind)
  }
  return leanKinds.get(name)
}

// Nothing is selected, muted or thinned here, for each of which Bokeh would compute the same again.
// Nor is the element used that Bokeh lays over every glyph, with a style sheet that it would write
// anew at each painting.
const leanRenderer = () => lean('GlyphRenderer', Base => class extends Base {
  async set_data(indices) {
    this.all_indices = this.model.view.indices
    await this.glyph.set_data(this.model.data_source, this.all_indices, indices)
    await this.set_visuals()
    this._update_masked_indices()
    this.plot_view.invalidate_dataranges = true
  }

  async set_visuals() {
    this.glyph.set_visuals(this.model.data_source, this.all_indices)
    this.glyph.after_visuals()
    await this.glyph.after_lazy_visuals()
  }

  map_data() { this.glyph.map_data() }

  update_position() {
    if (this.away) return
    this.away = true
    this.position.replace(':host { display: none; }')
  }
})

// All text has its size in pixels. To ask for that of the page has its styles computed, whenever a
// figure is painted.
const leanFigure = () => lean('Figure', Base => class extends Base {
  get base_font_size() { return null }
})

// Documents whose figures take no style from the page, for which Bokeh would ask it as often: no
// style sheet here has any.
const unstyled = new WeakSet()
let askStyle = null

function unstyle(document, plot) {
  let kind = document.views_manager?.get(plot)?.axis_views[0]?.visuals.axis_line
  while (kind && !Object.hasOwn(kind, '_get_css_value')) kind = Object.getPrototypeOf(kind)
  if (!kind) return
  unstyled.add(document)
  if (askStyle !== null) return
  askStyle = kind._get_css_value
  kind._get_css_value = function (name) {
    return unstyled.has(this.obj.model.document) ? '' : askStyle.call(this, name)
  }
}
