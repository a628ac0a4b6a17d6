// The stage: the views as tabs, the picture that answers, those beside it, and the cursor.

// A true gap over f(0) that is smaller is a rounding error.
const ROUNDING = 1e-13

class Stage {
  constructor(app, gallery) {
    this.app = app
    this.gallery = gallery
    this.enlarged = new Map()
    this.hero = h('div', {class: 'hero'})
    this.beside = h('div', {class: 'beside'})
    this.tables = h('div', {class: 'tables', tabindex: '0', role: 'region',
      'aria-label': 'Tables'})
    this.tabs = h('div', {role: 'tablist', 'aria-label': 'Views', class: 'tabs'})
    this.picks = h('div', {class: 'picks', role: 'group', 'aria-label': 'Pictures of the view'})
    this.question = h('p', {class: 'question'})
    this.slider = h('input', {type: 'range', min: '1', max: '2', value: '1',
      'aria-label': 'Point under the cursor',
      oninput: () => app.choose(Number(this.slider.value) - 1)})
    this.readout = h('output', {class: 'readout'})
    this.panel = h('div', {role: 'tabpanel', class: 'panel', id: 'panel'},
      this.picks, this.hero, this.beside, this.tables)
    this.element = h('main', {class: 'stage'}, h('div', {class: 'head'}, this.tabs, this.question),
      this.panel, h('div', {class: 'cursor'}, this.slider, this.readout))
    app.state.on(['views'], () => { this.heed(); this.makeTabs() })
    app.state.on(['outlook'], () => { if (this.heed()) this.open(this.name) })
    app.state.on(['table', 'printed', 'points'], () => this.tabulate())
    app.moved = (k, count) => this.moved(k, count)
  }

  // Those that a link asks for, or all.
  get views() {
    const all = this.app.state.get('views')
    const chosen = all.filter(view => this.app.asked.show.includes(view.name))
    return chosen.length ? chosen : all
  }

  // How a link, or the page that this one stands for, looked at the runs.
  heed() {
    if (!this.app.isNews('outlook')) return false
    const {view, axes, large} = this.app.state.get('outlook')
    this.enlarged = new Map(Object.entries(large))
    this.gallery.choose(axes)
    const seen = this.views.some(known => known.name == view)
    this.name = seen ? view : this.name ?? this.views[0].name
    return true
  }

  makeTabs() {
    const {views} = this
    this.tabs.replaceChildren(...views.map((view, k) => h('button', {role: 'tab', type: 'button',
      id: `tab-${view.name}`, 'aria-controls': 'panel', title: `${view.question} (${k + 1})`,
      onclick: () => this.open(view.name), onkeydown: event => this.walk(event, k)}, view.title)))
    // The server begins with the first of all, as it is declared.
    const name = this.name ?? views[0].name
    this.open(name, name != this.app.state.get('views')[0].name)
  }

  walk(event, k) {
    const {views} = this
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key]
    if (by === undefined) return
    event.stopPropagation()
    const next = views[(k + by + views.length) % views.length]
    this.open(next.name)
    this.tabs.querySelector(`#tab-${next.name}`).focus()
  }

  // Shows a view; the pictures that it lacks are made now, and the server feeds none but these.
  open(name, tell = true) {
    const view = this.app.state.get('views').find(known => known.name == name)
    if (view === undefined) return
    this.name = name
    const [large, ...small] = [view.hero, ...view.beside].filter(Boolean)
    const first = this.enlarged.get(name) ?? large
    const frames = [first, ...[large, ...small].filter(picture => picture != first)].filter(Boolean)
      .map(picture => this.gallery.frame(picture)).filter(Boolean)
    for (const frame of this.gallery.frames.values()) {
      if (frame.seen) frame.leave()
      frame.picture.plot.visible = frames.includes(frame)
    }
    this.hero.replaceChildren(...frames.slice(0, 1).map(frame => frame.element))
    this.beside.replaceChildren(...frames.slice(1).map(frame => frame.element))
    for (const frame of frames) frame.enter()
    this.panel.dataset.view = name
    this.picks.replaceChildren(...frames.map(frame => this.pick(frame, frames)))
    this.bring(frames[0], frames)
    this.hero.hidden = this.beside.hidden = frames.length == 0
    this.tables.hidden = frames.length > 0
    this.question.textContent = view.question
    this.panel.setAttribute('aria-labelledby', `tab-${name}`)
    for (const tab of this.tabs.children) {
      const chosen = tab.id == `tab-${name}`
      tab.setAttribute('aria-selected', String(chosen))
      tab.tabIndex = chosen ? 0 : -1
    }
    this.shown = frames.map(frame => frame.declared.name)
    if (tell) this.tell()
    this.gallery.move(this.gallery.point)
  }

  // The server feeds what is looked at, and keeps how, for links, reports and a reload.
  tell() {
    this.app.send({do: 'look', pictures: this.shown, table: this.shown.length == 0,
      view: this.name, axes: this.gallery.choices, large: Object.fromEntries(this.enlarged)})
  }

  // Another picture of the view takes the place of the large one.
  enlarge(frame) {
    this.enlarged.set(this.name, frame.declared.name)
    this.open(this.name)
  }

  // On a phone one picture is shown at a time.
  pick(frame, frames) {
    const {name, title, brief} = frame.declared
    return h('button', {type: 'button', title, 'data-pick': name,
      onclick: () => this.bring(frame, frames)}, brief)
  }

  bring(front, frames) {
    for (const frame of frames) frame.element.classList.toggle('front', frame === front)
    for (const pick of this.picks.children)
      pick.setAttribute('aria-pressed', String(pick.dataset.pick == front.declared.name))
  }

  moved(k, count) {
    this.slider.max = String(Math.max(2, count))
    this.slider.disabled = count == 0
    if (count > 0 && this.app.root.activeElement !== this.slider) this.slider.value = String(k + 1)
    if (count == 0) { this.readout.textContent = 'No point yet.'; return }
    const {sources, lead} = this.gallery
    const at = column => sources.column(lead, 'points', column)[k]
    const say = (x, digits) => Number.isFinite(x) ? String(Number(x.toPrecision(digits))) : 'none'
    const gap = at('judged_gap') < ROUNDING ? 'below rounding' : say(at('judged_gap'), 2)
    const {drawn: name = '', symbol = ''} = this.gallery.runs.find(run => run.key == lead) ?? {}
    this.readout.textContent = `${name}, point ${k + 1} of ${count}: `
      + `${symbol} ${say(at('value'), 4)}, `
      + `ℓ1 norm ${say(at('l1'), 4)}, ${at('nnz')} active, test error ${say(at('test_error'), 4)}, `
      + `true gap / f(0) ${gap}`
    this.slider.setAttribute('aria-valuetext', this.readout.textContent)
  }

  tabulate() {
    const {state} = this.app
    const tables = ['table', 'printed', 'points'].map(name => state.get(name)).filter(Boolean)
    this.tables.replaceChildren(...tables.filter(table => table.rows.length).map(table =>
      h('table', {}, h('caption', {}, table.caption),
        h('thead', {}, h('tr', {}, ...table.head.map(text => h('th', {scope: 'col'}, text)))),
        h('tbody', {}, ...table.rows.map(row => h('tr', {}, ...row.map(text =>
          h('td', {}, text))))))))
  }
}
