// One picture as a Bokeh figure: axes as they were chosen, and the layers of each run.

// How near, in pixels, a pointer has to come to a line.
const REACH = 14
// The border at the right where no name stands.
const NAMELESS = 8

class Picture {
  constructor(declared, choice, sources, ranges) {
    this.declared = declared
    this.choice = choice
    this.sources = sources
    this.drawn = new Map()
    this.stops = new Map()
    this.lit = null
    this.plot = this.figure(ranges)
    this.room = NAMELESS
    const {properties} = this.plot
    const {x_range: across, y_range: up} = this.plot
    for (const property of [properties.inner_height, properties.inner_width,
      ...[across, up].flatMap(range => [range.properties.start, range.properties.end])])
      property?.change.connect(() => this.soon())
  }

  axis(direction) {
    const {columns, log, logs} = this.declared[direction]
    const chosen = this.choice[direction] ?? columns[0]
    const scaled = this.choice[`${direction}log`] ?? (log || logs.includes(chosen))
    const {labels, logLabels} = this.declared
    return {column: chosen, log: scaled, label: (scaled ? logLabels : labels)[chosen]}
  }

  // Errors are those of the loss, which has a name for them. In a small picture words in the gulf
  // would cover its marks.
  relabel(error, large) {
    this.large = large
    for (const [key, parts] of this.drawn)
      for (const part of parts) if (part.layer.kind == 'label') this.label(key, part)
    for (const [k, direction] of ['x', 'y'].entries()) {
      const {column, label} = this.axis(direction)
      this.axes[k].axis_label = error && column.endsWith('_error') ? `${label}: ${error}` : label
    }
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
      major_label_policy: new (model('NoOverlap'))({min_distance: 6}),
      ...(factors ? {} : {formatter: new (model('CustomJSTickFormatter'))(
        {code: `return (${tickLabel})(tick, ticks)`})})})
    this.axes = [make(x, false), make(y, this.factors)]
    this.grids = this.axes.map((axis, k) => new (model('Grid'))({axis, dimension: k}))
    this.cursor = new (model('Span'))({dimension: 'height', visible: false, line_dash: 'dotted',
      line_width: 1.5, line_color: '#808890'})
    const pan = new (model('PanTool'))({dimensions: 'width'})
    this.hovers = new Map()
    const tools = [pan, new (model('WheelZoomTool'))({dimensions: 'both'}),
      new (model('BoxZoomTool'))({}), new (model('ResetTool'))({}),
      ...new Set(this.declared.layers.map(layer => this.hover(layer)).filter(Boolean))]
    return new (leanFigure())({
      x_range: ranges[shared], y_range: this.factors ?? range(),
      x_scale: scale(x.log), y_scale: this.factors ? new (model('CategoricalScale'))({})
        : scale(y.log),
      below: [this.axes[0]], left: [this.axes[1]], center: [...this.grids, this.cursor],
      toolbar: new (model('Toolbar'))({tools, autohide: true, logo: null, active_drag: pan,
        // It would cover what is behind it.
        stylesheets: [`:host { background: none !important; opacity: .3; pointer-events: none; }
          :host(:hover) { opacity: 1; } div { pointer-events: auto; }`]}),
      toolbar_inner: true, toolbar_location: 'above', sizing_mode: 'stretch_both',
      min_border_left: 54, min_border_right: NAMELESS, min_border_top: 4, min_height: 60,
      match_aspect: this.declared.square, outline_line_color: null, lod_threshold: null,
      output_backend: 'canvas', background_fill_alpha: 0, border_fill_alpha: 0,
    })
  }

  // What hovering a layer shows; layers that show the same have one tool.
  hover(layer) {
    if (!MARKS[layer.kind].hovers) return null
    const tooltips = tooltipsOf(layer, this.columns(layer), this.declared)
    const key = tooltips.join()
    if (!this.hovers.has(key)) this.hovers.set(key, new (model('HoverTool'))({renderers: [],
      mode: 'mouse', line_policy: 'nearest', tooltips, limit: 1, show_arrow: false,
      visible: this.hovers.size == 0}))
    return this.hovers.get(key)
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
    for (const tool of this.hovers.values()) tool.renderers = parts
      .filter(part => this.hover(part.layer) === tool).map(part => part.renderer)
    for (const run of wanted) this.update(run.key)
    this.loose = true
    this.soon()
  }

  // Layers with rows of a run, as opposed to names and thresholds.
  get data() {
    return [...this.drawn.values()].flat()
      .filter(part => !['level', 'names', 'label'].includes(part.layer.kind))
  }

  // Whether there is anything that can be drawn, besides what is proven of it.
  shows() {
    const drawable = value => typeof value == 'string' || Number.isFinite(value)
      || (Array.isArray(value) && value.some(drawable))
    return this.data.filter(part => part.layer.kind != 'bound').some(part => {
      const [x, y] = this.columns(part.layer)
      const {data} = part.renderer.data_source
      const [end] = MARKS[part.layer.kind].parts ?? ['']
      return (data[y.split('|')[0] + end] ?? []).some((value, k) => drawable(value)
        && drawable(data[x]?.[k]))
    })
  }

  layers(run) {
    return this.declared.layers.flatMap(layer => {
      const parts = [this.layer(run, layer)]
      if (layer.named) parts.push(this.names(run, layer))
      if (layer.label) parts.push(this.own(run, {...layer, kind: 'label', of: layer.kind,
        style: {}}, ['x', 'y', 'text', 'align']))
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
    const tips = MARKS[layer.kind].hovers ? tipsOf(layer, [x, y], this.declared) : []
    const extra = Object.keys(MARKS[layer.kind].rows?.([], run, {lit: null}) ?? {})
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
    return new (leanRenderer())({data_source: source, glyph, name, ...none,
      view: new (model('CDSView'))({filter: new (model('AllIndices'))({})})})
  }

  // Names at the ends of lines, which may stand beside the frame: what is at this level is not cut.
  names(run, layer) {
    const part = this.own(run, {...layer, kind: 'names', style: {}},
      ['x', 'y', 'text', 'said', 'colour', 'lift'])
    part.renderer.level = 'annotation'
    return part
  }

  look(run, leads, wide) {
    for (const part of this.drawn.get(run.key)) {
      const {kind, style} = part.layer
      const mark = MARKS[kind]
      const width = widthOf(this.declared, run, part.layer, wide)
      Object.assign(part, {run, leads, wide})
      // The best point of one seed is not that of the median.
      const single = part.layer.source != 'best' || !repeated(this.declared, run)
      part.renderer.setv({name: run.drawn, visible: single && (leads || !mark.leads)})
      part.renderer.glyph.setv(
        mark.look(run, {leads, wide, width, marker: style.marker ?? run.marker}))
    }
  }

  // What follows from the rows of a run: colours of features, and but of ``colours`` alone names
  // at ends, and factors.
  update(key, colours = false) {
    for (const part of this.drawn.get(key) ?? []) {
      const {kind, source} = part.layer
      if (MARKS[kind].rows) this.colour(key, part)
      if (colours) continue
      if (kind == 'names') part.renderer.data_source.setv({data: this.ends(key, part)},
        {sync: false})
      else if (kind == 'label') this.label(key, part)
      if (this.factors && part.leads) {
        const factors = [...(this.sources.column(key, source, this.axis('y').column))].reverse()
        if (!equal(this.factors.factors, factors)) this.factors.setv({factors})
      }
    }
  }

  // The looks of single rows, as of the feature that is pointed at.
  colour(key, part) {
    const source = this.sources.of(key, part.layer.source)
    const features = source.data.index ?? []
    const looks = MARKS[part.layer.kind].rows(features, part.run, {...part, lit: this.lit})
    if (Object.keys(looks).some(name => !equal(source.data[name], looks[name])))
      source.setv({data: {...source.data, ...looks}}, {sync: false})
  }

  light(feature) {
    this.lit = feature
    for (const [key, parts] of this.drawn)
      for (const part of parts) if (MARKS[part.layer.kind].rows) this.colour(key, part)
  }

  // The feature under the pointer, of the selected run.
  featureAt({x, y}) {
    const part = [...this.drawn.values()].flat()
      .find(part => part.leads && MARKS[part.layer.kind].rows)
    if (part === undefined) return null
    const {data} = part.renderer.data_source
    if (this.factors) return data.index?.[this.factors.factors.length - 1 - Math.floor(y)] ?? null
    const high = value =>
      pixels(value, this.plot.y_range, this.axis('y').log, this.size('inner_height'))
    const [across, up] = this.columns(part.layer)
    let best = null
    let least = REACH
    ;(data[across] ?? []).forEach((xs, k) => {
      let place = 0
      xs.forEach((value, i) => {
        if (Math.abs(value - x) < Math.abs(xs[place] - x)) place = i
      })
      const away = Math.abs(high(data[up][k][place]) - high(y))
      if (away < least) { best = data.index[k]; least = away }
    })
    return best
  }

  ends(key, part) {
    const columns = [...this.columns(part.layer), 'name', 'index']
      .map(column => this.sources.column(key, part.layer.source, column))
    return lineEnds(part, ...columns)
  }

  label(key, part) {
    const {of, label, source} = part.layer
    const column = name => this.sources.column(key,
      of == 'level' ? this.declared.layers[0].source : source, name)
    const xs = column(this.axis('x').column)
    const data = of == 'level' ? onLevel(label, xs, this.stops.get(key))
      : inGulf(this.large ? label : '', xs, ...this.columns(part.layer)[1].split('|').map(column))
    const shown = part.renderer.data_source
    if (!['x', 'y', 'text', 'align'].every(name => equal(shown.data[name], data[name])))
      shown.setv({data}, {sync: false})
  }

  // Once for many changes.
  soon() {
    if (this.waiting) return
    this.waiting = true
    requestAnimationFrame(() => { this.waiting = false; this.separate() })
  }

  // A size of the frame; not a number before it is laid out.
  size(name) {
    const property = this.plot.properties[name]
    return property.is_unset ? NaN : property.get_value()
  }

  // Names at the ends of lines that would run into each other are moved apart, or not said.
  separate() {
    if (!Number.isFinite(this.size('inner_height'))) return
    const parts = [...this.drawn.values()].flat()
      .filter(part => part.layer.kind == 'names' && part.renderer.visible)
    const {found, room} = placed(parts, this.places())
    this.widen(NAMELESS + room)
    for (const [part, {lift, said}] of found) {
      const source = part.renderer.data_source
      if (!equal(source.data.lift, lift) || !equal(source.data.said, said))
        source.setv({data: {...source.data, lift, said}}, {sync: false})
    }
  }

  // Leaves so much room for names beside the frame. It lays the figure out again, hence grows while
  // lines do, and shrinks where other runs are shown. It waits: Bokeh draws at once, and fails
  // where names have changed in the same turn.
  widen(right) {
    // The figure itself may be about to change.
    if (right == this.room || (right < this.room && !this.loose)) return
    this.loose = false
    this.room = right
    setTimeout(() => this.plot.setv({min_border_right: this.room}), 0)
  }

  // Where a point is on the screen, and how high the frame is. A line that has grown beyond a frame
  // that nobody moved will be within it at the next paint.
  places() {
    const {x_range, y_range} = this.plot
    const [width, height] = [this.size('inner_width'), this.size('inner_height')]
    const within = (place, range, size) => range.have_updated_interactively === false
      ? Math.min(Math.max(place, 0), size) : place
    return {height, width, at: (x, y) => [
      within(pixels(x, x_range, this.axis('x').log, width), x_range, width),
      within(pixels(y, y_range, this.axis('y').log, height), y_range, height)]}
  }

  level(key, value) {
    const y = value === null || value === undefined ? [] : [value]
    this.stops.set(key, value)
    for (const part of this.drawn.get(key) ?? []) {
      const source = part.renderer.data_source
      if (part.layer.kind == 'level' && !equal(source.data.y, y))
        source.setv({data: {y}}, {sync: false})
      if (part.layer.kind == 'label') this.label(key, part)
    }
  }

  mark(place) {
    const shown = Number.isFinite(place)
    this.cursor.setv(shown ? {visible: true, location: place} : {visible: false})
  }

  theme({ink, line: faint, paper}, wide) {
    const [label, tick] = wide ? ['20px', '20px'] : ['12px', '11px']
    for (const part of [...this.drawn.values()].flat())
      if (['names', 'label'].includes(part.layer.kind)) part.renderer.glyph.setv({
        text_font_size: tick, background_fill_color: paper, background_fill_alpha: 0.75})
    for (const axis of this.axes) axis.setv({axis_label_text_color: ink, axis_line_color: faint,
      major_label_text_color: ink, major_tick_line_color: faint, minor_tick_line_color: faint,
      axis_label_text_font_style: 'normal', axis_label_text_font_size: label,
      major_label_text_font_size: tick})
    for (const grid of this.grids) grid.setv({grid_line_color: faint, grid_line_alpha: 0.35})
  }
}

const equal = (a, b) => a != null && a.length == b.length && a.every((x, k) => x === b[k])
