// The pictures of the page: each in a frame with its title, its menu and its words.

class Gallery {
  constructor(app) {
    this.app = app
    this.sources = new Sources()
    this.frames = new Map()
    this.ranges = {}
    // Axes that were chosen, by picture.
    this.choices = {}
    this.point = -1
    this.lit = null
    this.sources.changed = run => { this.touched.add(run) }
    this.touched = new Set()
    this.roots = []
    // It would warn of each figure that is still empty.
    Bokeh.set_log_level('error')
    // A document of its own: these models are the page's alone, the server does not know them.
    this.document = new app.model.document.constructor()
    this.ready = Bokeh.embed.add_document_standalone(this.document, app.host, this.roots)
    app.state.on(['runs', 'lead'], () => this.show())
    app.state.on(['row', 'stop'], () => this.levels())
    app.state.on(['error'], () => { for (const frame of this.frames.values()) frame.label() })
    app.state.on(['title', 'caption'], (_, changed) => this.say(changed))
    app.state.on(['phase'], state => this.began(state.phase))
    this.late = []
    this.showing = false
  }

  // The frame of a picture, made when it is first asked for.
  frame(name) {
    if (!this.frames.has(name)) {
      const declared = this.app.state.get('pictures').find(picture => picture.name == name)
      if (declared === undefined) return null
      this.frames.set(name, new Frame(this, declared))
    }
    return this.frames.get(name)
  }

  // Axes as another page had chosen them; those of this page are forgotten.
  choose(axes) {
    this.choices = axes
    for (const [name, frame] of this.frames) {
      frame.choice = axes[name] ?? {}
      frame.build()
      frame.say()
    }
  }

  get runs() { return this.app.state.get('runs') ?? [] }
  get lead() { return this.app.state.get('lead') ?? this.app.state.get('selected') }

  // Those that are seen, one at a time and after what was clicked: a figure that is built again
  // takes a while. A view that is opened later is shown then.
  show() {
    this.late = [...this.frames.values()].filter(frame => frame.seen)
    for (const frame of this.frames.values()) frame.stale = !frame.seen
    if (!this.showing) this.soon()
  }

  soon() { this.showing = true; setTimeout(() => this.next(), 0) }

  next() {
    const frame = this.late.shift()
    if (frame === undefined) { this.showing = false; return this.move(this.point) }
    frame.show()
    this.soon()
  }

  levels() { for (const frame of this.frames.values()) frame.levels() }

  say(changed) {
    for (const [name, frame] of this.frames)
      if (changed.has(`title:${name}`) || changed.has(`caption:${name}`)) frame.say()
  }

  // The frames on the stage: the others cost nothing until they are there.
  seen() { return [...this.frames.values()].filter(frame => frame.seen) }

  // After the rows of a message: names at the ends of lines, and the cursor.
  settle() {
    if (this.touched.size == 0) return
    for (const frame of this.frames.values()) {
      if (!unstyled.has(this.document)) unstyle(this.document, frame.picture.plot)
      frame.stale ||= !frame.seen
      // A figure that waits unseen may not meet a colour that is none.
      for (const run of this.touched) frame.picture.update(run, frame.stale)
      if (frame.stale) continue
      frame.blank()
      frame.picture.separate()
    }
    this.touched.clear()
    this.move(this.point)
  }

  // A new run forgets where the last was panned to.
  began(phase) {
    const live = LIVE.includes(phase)
    if (live && !this.live) {
      this.point = -1
      for (const frame of this.frames.values()) frame.fit()
    }
    this.live = live
    for (const frame of this.frames.values()) frame.blank()
  }

  // The cursor marks one point of the selected run in every picture; -1 is the last.
  move(point) {
    this.point = point
    const count = this.count()
    const k = point >= 0 && point < count ? point : count - 1
    for (const frame of this.seen()) {
      const x = frame.picture.axis('x').column
      frame.picture.mark(point < 0 ? NaN : this.sources.column(this.lead, 'points', x)[k] ?? NaN)
    }
    this.app.moved?.(k, count)
  }

  count() { return this.sources.column(this.lead, 'points', 'l1').length }

  nearest(column, place) {
    const xs = this.sources.column(this.lead, 'points', column)
    let best = -1
    xs.forEach((x, k) => {
      if (!Number.isFinite(x)) return
      if (best < 0 || Math.abs(x - place) < Math.abs(xs[best] - place)) best = k
    })
    return best
  }

  // A feature that is pointed at is lit in every picture.
  light(feature) {
    if (feature === this.lit) return
    this.lit = feature
    for (const frame of this.seen()) frame.picture.light(feature)
  }

  theme() { for (const frame of this.frames.values()) frame.theme() }
}

const tooltips = () => [...document.querySelectorAll('.bk-Tooltip')]

class Frame {
  constructor(gallery, declared) {
    this.gallery = gallery
    this.declared = declared
    this.choice = gallery.choices[declared.name] ?? {}
    this.title = h('h3', {id: `title-${declared.name}`})
    this.caption = h('p', {class: 'caption', id: `caption-${declared.name}`})
    this.canvas = h('div', {class: 'canvas', role: 'img',
      'aria-labelledby': `title-${declared.name}`, 'aria-describedby': `caption-${declared.name}`})
    this.tools = h('div', {class: 'tools'})
    this.element = h('section', {class: 'picture', 'data-picture': declared.name},
      h('header', {}, this.title, this.tools), this.canvas, this.caption)
    this.build()
    this.say()
  }

  // Makes the figure, again where other axes were chosen.
  build() {
    const {gallery, declared} = this
    if (this.picture) this.remove()
    this.picture = new Picture(declared, this.choice, gallery.sources, gallery.ranges)
    this.picture.plot.on_event?.('mousemove', event => this.hovered(event))
    this.picture.plot.on_event?.('mouseleave', () => gallery.light(null))
    this.label()
    gallery.roots.push(this.canvas)
    gallery.document.add_root(this.picture.plot)
    this.theme()
    this.show()
    this.tools.replaceChildren(...this.menus())
  }

  // As if the pointer left it: what it was told would stay over what comes next.
  leave() {
    const {views_manager: views} = this.gallery.document
    views.get(this.picture.plot)?.el.dispatchEvent(new MouseEvent('mouseleave'))
    for (const tool of this.picture.hovers.values())
      for (const tip of views.find_one(tool)?.ttmodels.values() ?? []) tip.clear()
  }

  remove() {
    this.leave()
    const place = this.gallery.document.roots().indexOf(this.picture.plot)
    // Else ranges that it shares would keep what it showed.
    this.picture.plot.visible = false
    this.gallery.document.remove_root(this.picture.plot)
    this.gallery.roots.splice(place, 1)
  }

  // A small picture has no room for the name of the error.
  label() {
    const large = this.element.closest('.hero') !== null
    this.picture.relabel(large ? this.gallery.app.state.get('error') : '', large)
  }

  // Whether it stands on the stage.
  get seen() { return this.element.isConnected }

  show() {
    const {runs, lead, app} = this.gallery
    this.stale = false
    this.picture.show(runs, lead, app.presenting)
    this.theme()
    this.levels()
    this.blank()
  }

  // Put on the stage: what has changed since it was there is drawn now.
  enter() {
    if (this.stale) this.show()
    this.picture.light(this.gallery.lit)
    this.label()
  }

  levels() {
    for (const run of this.gallery.runs)
      this.picture.level(run.key, this.gallery.app.state.get(`stop:${run.key}`))
  }

  // What has nothing to draw says so.
  blank() {
    const blank = !this.picture.shows()
    const {blank: said, computed} = this.declared
    const {sources, lead} = this.gallery
    const [x, y] = ['x', 'y'].map(direction => this.picture.axis(direction).column)
    const counted = sources.column(lead, 'points', x).some(Number.isFinite)
    this.element.classList.toggle('blank', blank)
    this.canvas.dataset.blank = this.gallery.count() == 0
      ? this.gallery.live ? 'Waiting for the first point.' : 'Press Run.'
      : this.gallery.count() && computed.some(name => !sources.taken.has(`${lead} ${name}`))
        ? 'Computing …' : (counted ? undefined : said[x]) ?? said[y] ?? said['']
    if (blank != this.empty) { this.empty = blank; this.say() }
  }

  fit() {
    for (const range of [this.picture.plot.x_range, this.picture.plot.y_range]) range.reset()
  }

  hovered(event) {
    const {gallery} = this
    const k = gallery.nearest(this.picture.axis('x').column, event.x)
    if (k >= 0 && k != gallery.point) gallery.app.choose(k)
    gallery.light(this.picture.featureAt(event))
    this.tint()
  }

  // Bokeh's tooltips are white whatever is around them, and each line under the pointer has one:
  // the first is shown.
  tint() {
    const style = getComputedStyle(this.gallery.app.root)
    for (const [k, tip] of tooltips().filter(tip => tip.checkVisibility()).entries()) {
      tip.style.visibility = k ? 'hidden' : 'visible'
      for (const [name, own] of [['background-color', 'paper'], ['color', 'ink'],
        ['divider-color', 'line']])
        tip.style.setProperty(`--${name}`, style.getPropertyValue(`--${own}`))
    }
  }

  say() {
    const {state} = this.gallery.app
    const {name, title} = this.declared
    this.title.textContent = this.title.title = state.get(`title:${name}`) || title
    const runs = this.gallery.runs.filter(run => !run.hidden && repeated(this.declared, run))
    const spread = runs.length
      ? ' Of repeats: median strong, quartiles shaded, first seed thin.' : ''
    const legend = this.declared.legend + spread
    this.caption.title = legend
    const said = state.get(`caption:${name}`) ?? []
    const words = said.map(([run, text]) => `${run}: ${text}. `).join('')
    this.caption.replaceChildren(h('span', {class: 'legend'}, legend),
      h('span', {class: 'unseen'}, this.empty ? ` ${this.canvas.dataset.blank}` : ` ${words}`))
  }

  menus() {
    const {declared} = this
    const turns = []
    const axes = ['x', 'y'].flatMap(direction => {
      const {columns} = declared[direction]
      const {column, log} = this.picture.axis(direction)
      const where = direction == 'x' ? 'Horizontal' : 'Vertical'
      const turn = () => this.set({[`${direction}log`]: !log})
      const choose = columns.length > 1 ? [h('select', {'aria-label': `${where} axis`,
        onchange: event =>
          this.set({[direction]: event.target.value, [`${direction}log`]: undefined})},
      ...columns.map(name => h('option', {value: name, selected: name == column},
        declared.labels[name])))] : []
      if (declared[direction].factors || declared.square) return choose
      turns.push([`${where} axis: ${log ? 'linear' : 'logarithmic'}`, turn])
      return [...choose, button(`${direction} ${log ? 'log' : 'lin'}`, turn,
        {class: 'scale', 'aria-label': `${where} axis: ${log ? 'logarithmic' : 'linear'}`})]
    })
    const others = declared.y.columns.filter(name => name != this.picture.axis('y').column)
    if (!declared.y.factors) for (const name of others) turns.push([
      `Vertical axis: ${declared.labels[name]}`, () => this.set({y: name, ylog: undefined})])
    const help = button('?', () => this.gallery.app.dialogs.open(declared.title,
      h('p', {}, declared.help), h('p', {class: 'told'}, declared.legend)),
    {class: 'scale how', 'aria-label': `How to read: ${declared.title}`})
    return [...axes, ...(declared.help ? [help] : []), menu(`More of ${declared.title}`, 'more', [
      ...turns,
      ['Fit the axes', () => this.fit()],
      ['Make it the large one', () => this.gallery.app.stage.enlarge(this)],
      ['Full screen', () => this.element.requestFullscreen?.()],
      ['Show as a table', () => this.gallery.app.dialogs.open(this.title.textContent,
        valuesTable(this.picture) ?? this.canvas.dataset.blank)],
      ['Save as PNG', () => this.save('png')],
      ['Save as SVG', () => this.save('svg')],
      ['Save as CSV', () => save(`${declared.name}.csv`, valuesCsv(this.picture))],
      ['Save the points of all runs as CSV', () => save('points.csv', pointsCsv(this.gallery))],
    ])]
  }

  set(choice) {
    // What is taken back is left out: a message holds nothing undefined.
    this.choice = this.gallery.choices[this.declared.name] = Object.fromEntries(
      Object.entries({...this.choice, ...choice}).filter(([, value]) => value !== undefined))
    this.build()
    this.say()
    this.gallery.move(this.gallery.point)
    this.gallery.app.stage.tell()
  }

  save(kind) {
    const view = this.gallery.document.views_manager.get(this.picture.plot)
    const drawn = view.export(kind)
    const title = this.title.textContent
    save(`${this.declared.name}.${kind}`, kind == 'png'
      ? printedPng(drawn.canvas, title, view.bbox.width, this.style)
      : printedSvg(drawn.ctx.get_serialized_svg(true), title, this.style))
  }

  // What is drawn in the colours of the page.
  get style() {
    const style = getComputedStyle(this.gallery.app.root)
    const colours = ['ink', 'line', 'paper'].map(name =>
      [name, style.getPropertyValue(`--${name}`).trim()])
    return {...Object.fromEntries(colours), face: style.fontFamily}
  }

  theme() { this.picture.theme(this.style, this.gallery.app.presenting) }
}
