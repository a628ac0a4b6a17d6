// One picture as a Bokeh figure: axes as they were chosen, and the layers of each run.

const FEATURE_COLOURS = ['#2498d1', '#ee6649', '#149c7f', '#b9279a', '#077b06', '#5d3df6',
  '#fe076e', '#1c63d3', '#8a6d00', '#6b7280']
const COUNTS = ['dots', 'entries', 'grads', 'step', 'nnz']

class Picture {
  constructor(declared, choice, sources, ranges) {
    this.declared = declared
    this.choice = choice
    this.sources = sources
    this.drawn = new Map()
    this.plot = this.figure(ranges)
  }

  axis(direction) {
    const {columns, log} = this.declared[direction]
    const chosen = this.choice[direction] ?? columns[0]
    return {column: chosen, log: this.choice[`${direction}log`] ?? log,
      label: this.declared.labels[chosen]}
  }

  figure(ranges) {
    const [x, y] = [this.axis('x'), this.axis('y')]
    const range = () => new (model('DataRange1d'))({range_padding: 0.04, default_span: 1})
    // Pictures over the same column are zoomed together.
    const shared = `${x.column} ${x.log}`
    ranges[shared] ??= range()
    this.factors = this.declared.y.factors
      ? new (model('FactorRange'))({factors: []}) : null
    const scale = log => new (model(log ? 'LogScale' : 'LinearScale'))({})
    const make = (axis, factors) => new (model(factors ? 'CategoricalAxis'
      : axis.log ? 'LogAxis' : 'LinearAxis'))({axis_label: axis.label, axis_label_standoff: 4,
      ...(COUNTS.includes(axis.column) ? {formatter: new (model('NumeralTickFormatter'))(
        {format: '0.[00]a'})} : {})})
    this.axes = [make(x, false), make(y, this.factors)]
    this.grids = this.axes.map((axis, k) => new (model('Grid'))({axis, dimension: k}))
    this.cursor = new (model('Span'))({dimension: 'height', visible: false, line_dash: 'dotted',
      line_width: 1.5, line_color: '#808890'})
    const pan = new (model('PanTool'))({dimensions: 'width'})
    this.hover = this.declared.tips.length ? new (model('HoverTool'))({renderers: [],
      mode: 'mouse', line_policy: 'nearest', tooltips: this.tooltips()}) : null
    const tools = [pan, new (model('WheelZoomTool'))({dimensions: 'both'}),
      new (model('BoxZoomTool'))({}), new (model('ResetTool'))({}),
      ...(this.hover ? [this.hover] : [])]
    return new (model('Figure'))({
      x_range: ranges[shared], y_range: this.factors ?? range(),
      x_scale: scale(x.log), y_scale: this.factors ? new (model('CategoricalScale'))({})
        : scale(y.log),
      below: [this.axes[0]], left: [this.axes[1]], center: [...this.grids, this.cursor],
      toolbar: new (model('Toolbar'))({tools, autohide: true, logo: null, active_drag: pan,
        // Its ground would cover what is behind it.
        stylesheets: [':host { background: none !important; }']}),
      toolbar_inner: true, toolbar_location: 'above', sizing_mode: 'stretch_both',
      min_border_left: 54, min_border_right: 8, min_border_top: 4, min_height: 60,
      match_aspect: this.declared.square, outline_line_color: null, output_backend: 'canvas', background_fill_alpha: 0,
      border_fill_alpha: 0,
    })
  }

  tooltips() {
    const named = this.declared.tips.map(tip => [this.declared.labels[tip], `@${tip}`])
    return [['run', '$name'], ...named]
  }

  // Draws what is new, and takes away what is gone, at once: for each change of its list of glyphs
  // a figure is built again.
  show(runs, lead, wide) {
    const wanted = runs.filter(run => !run.hidden && (!this.declared.leadOnly || run.key == lead))
    const keys = new Set(wanted.map(run => run.key))
    for (const key of [...this.drawn.keys()]) if (!keys.has(key)) this.drawn.delete(key)
    for (const run of wanted) {
      if (!this.drawn.has(run.key)) this.drawn.set(run.key, this.layers(run))
      this.look(run, run.key == lead, wide)
    }
    const parts = wanted.flatMap(run => this.drawn.get(run.key))
    const renderers = parts.map(part => part.renderer)
    if (!equal(this.plot.renderers, renderers)) this.plot.renderers = renderers
    if (this.hover) this.hover.renderers = parts
      .filter(part => ['line', 'dots', 'paths', 'rings'].includes(part.layer.kind)
        && ['points', 'paths'].includes(part.layer.source))
      .map(part => part.renderer)
    for (const run of wanted) this.update(run.key)
  }

  layers(run) {
    return this.declared.layers.flatMap(layer => {
      const parts = [this.layer(run, layer)]
      if (layer.named) parts.push(this.names(run, layer))
      return parts
    })
  }

  columns(layer) {
    return [layer.x ?? this.axis('x').column, layer.y ?? this.axis('y').column]
  }

  layer(run, layer) {
    if (layer.kind == 'level') return this.own(run, layer, ['y'])
    const [x, y] = this.columns(layer)
    const ys = MARKS[layer.kind].parts?.map(part => y + part) ?? y.split('|')
    const tips = layer.source == 'points' || layer.source == 'paths' ? this.declared.tips : []
    const extra = layer.kind == 'paths' ? ['colour'] : []
    const source = this.sources.need(run.key, layer.source, [x, ...ys, ...tips, ...extra])
    return this.part(run, layer, source, makeGlyph(layer, x, ys))
  }

  // A layer over rows that the page makes itself.
  own(run, layer, columns) {
    const data = Object.fromEntries(columns.map(column => [column, []]))
    const source = new (model('ColumnDataSource'))({data})
    return this.part(run, layer, source, makeGlyph(layer))
  }

  part(run, layer, source, glyph) {
    return {layer, run, renderer: this.renderer(source, glyph, run.drawn)}
  }

  renderer(source, glyph, name) {
    const none = {selection_glyph: null, nonselection_glyph: null, muted_glyph: null,
      hover_glyph: null}
    return new (model('GlyphRenderer'))({data_source: source, glyph, name, ...none,
      view: new (model('CDSView'))({filter: new (model('AllIndices'))({})})})
  }

  // Names at the ends of lines.
  names(run, layer) {
    return this.own(run, {...layer, kind: 'names', style: {}}, ['x', 'y', 'text', 'colour'])
  }

  look(run, leads, wide) {
    for (const part of this.drawn.get(run.key)) {
      const {kind, style} = part.layer
      const mark = MARKS[kind]
      const width = (style.line_width ?? 1.5) * (wide ? 1.8 : 1)
      Object.assign(part, {run, leads})
      part.renderer.setv({name: run.drawn, visible: leads || !mark.leads})
      part.renderer.glyph.setv(
        mark.look(run, {leads, wide, width, marker: style.marker ?? run.marker}))
    }
  }

  // What follows from the rows of a run: colours of features, names at ends, factors.
  update(key) {
    for (const part of this.drawn.get(key) ?? []) {
      const {kind, source} = part.layer
      if (kind == 'paths') {
        const rows = this.sources.of(key, source).data
        const count = rows.coefficient?.length ?? 0
        const colours = [...Array(count).keys()].map(k => part.leads
          ? FEATURE_COLOURS[k % FEATURE_COLOURS.length] : part.run.colour)
        if (!equal(rows.colour, colours))
          this.sources.of(key, source).setv({data: {...rows, colour: colours}}, {sync: false})
      } else if (kind == 'names') part.renderer.data_source.setv({data: this.ends(key, part)},
        {sync: false})
      if (this.factors && part.leads) {
        const factors = [...(this.sources.column(key, source, this.axis('y').column))].reverse()
        if (!equal(this.factors.factors, factors)) this.factors.setv({factors})
      }
    }
  }

  ends(key, part) {
    const [x, y] = this.columns(part.layer)
    const xs = this.sources.column(key, part.layer.source, x)
    const ys = this.sources.column(key, part.layer.source, y)
    const last = (us, vs) => {
      for (let k = us.length - 1; k >= 0; k--)
        if (Number.isFinite(us[k]) && Number.isFinite(vs[k])) return [us[k], vs[k]]
      return null
    }
    if (!Array.isArray(xs[0])) {
      const end = last(xs, ys)
      return end === null ? {x: [], y: [], text: [], colour: []}
        : {x: [end[0]], y: [end[1]], text: [part.run.drawn], colour: [part.run.colour]}
    }
    const out = {x: [], y: [], text: [], colour: []}
    if (!part.leads) return out
    const names = this.sources.column(key, part.layer.source, 'name')
    xs.forEach((us, k) => {
      const end = last(us, ys[k])
      if (end === null) return
      out.x.push(end[0]); out.y.push(end[1]); out.text.push(String(names[k]))
      out.colour.push(FEATURE_COLOURS[k % FEATURE_COLOURS.length])
    })
    return out
  }

  level(key, value) {
    const y = value === null || value === undefined ? [] : [value]
    for (const part of this.drawn.get(key) ?? []) {
      const source = part.renderer.data_source
      if (part.layer.kind == 'level' && !equal(source.data.y, y))
        source.setv({data: {y}}, {sync: false})
    }
  }

  mark(place) {
    const shown = Number.isFinite(place)
    this.cursor.setv(shown ? {visible: true, location: place} : {visible: false})
  }

  theme(ink, faint) {
    for (const axis of this.axes) axis.setv({axis_label_text_color: ink, axis_line_color: faint,
      major_label_text_color: ink, major_tick_line_color: faint, minor_tick_line_color: faint,
      axis_label_text_font_style: 'normal', axis_label_text_font_size: '12px'})
    for (const grid of this.grids) grid.setv({grid_line_color: faint, grid_line_alpha: 0.35})
  }
}

const equal = (a, b) => a != null && a.length == b.length && a.every((x, k) => x === b[k])
