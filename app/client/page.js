// The page as a whole: the bar at the top, the runs, the stage, and the wire to the server.

const RATES = [100, 300, 1e3, 3e3, 1e4, 2e4, 5e4, 1e5, 3e5, 1e6, 3e6, 1e7, 1e8, null]
const FIRST_RATE = 5
const THEME = 'frank-wolfe-explorer-theme'
const LIVE = ['preparing', 'running', 'paused']

function bar(app) {
  const {state} = app
  const act = name => () => app.send({do: name})
  const buttons = {
    run: button('Run', () => app.send({do: 'run'}), {symbol: 'run', class: 'primary'}),
    pause: button('Pause', () => app.send({do: paused() ? 'resume' : 'pause'}),
      {symbol: 'pause', class: 'pause'}),
    step: button('Step', act('step'), {symbol: 'step'}),
    stop: button('Stop', act('stop'), {symbol: 'stop'}),
    reset: button('Reset', () => app.runs.reset(), {symbol: 'reset', shown: false, class: 'quiet'}),
  }
  const paused = () => state.get('phase') == 'paused'
  state.on(['phase'], ({phase}) => {
    const live = LIVE.includes(phase)
    buttons.run.disabled = live
    buttons.pause.disabled = buttons.stop.disabled = !live
    buttons.reset.disabled = phase == 'empty'
    buttons.pause.querySelector('span').textContent = paused() ? 'Resume' : 'Pause'
    app.root.dataset.phase = phase
  })
  const side = button('Runs', () => {
    app.root.classList.toggle('open')
    // What a setting changes is above the sheet.
    window.scrollTo(0, 0)
  }, {class: 'sheet'})
  const dataset = h('select', {'aria-label': 'Dataset', class: 'dataset',
    onchange: () => app.send({do: 'set', name: 'dataset', value: dataset.value})})
  state.on(['dataset', 'datasets'], ({dataset: chosen, datasets}) => redraw(app, dataset,
    [chosen.name, datasets], () => datasets.map(([label, entries]) => h('optgroup', {label},
      ...entries.map(([value, title]) =>
        h('option', {value, selected: value == chosen.name}, title))))))
  return h('header', {class: 'bar'}, h('h1', {}, 'Frank-Wolfe Explorer'),
    h('div', {class: 'transport', role: 'group', 'aria-label': 'Runs'}, ...Object.values(buttons)),
    pace(app), dataset, side,
    h('div', {class: 'corner'},
      button('Present', () => app.present(), {symbol: 'full', shown: false, class: 'quiet wide'}),
      button('Dark or light', () => app.chooseTheme(),
        {symbol: 'dark', shown: false, class: 'quiet'}),
      button('?', () => app.dialogs.help(), {class: 'quiet', 'aria-label': 'Help and keys'})))
}

// All runs may spend as much a second.
function pace(app) {
  const output = h('output', {})
  const unit = h('select', {'aria-label': 'Unit of the pace'})
  const slider = h('input', {type: 'range', min: '0', max: String(RATES.length - 1),
    value: String(FIRST_RATE), 'aria-label': 'Pace', title: 'What each run may spend a second'})
  const told = () => {
    const rate = RATES[Number(slider.value)]
    output.textContent = rate === null ? 'full speed'
      : `${rate >= 1e6 ? `${rate / 1e6}M` : rate >= 1e3 ? `${rate / 1e3}k` : rate}/s`
    slider.setAttribute('aria-valuetext', rate === null ? 'full speed'
      : `${rate} ${unit.selectedOptions[0]?.textContent ?? ''} per second`)
  }
  // A CPU second buys much: a tenth of a second a second is slow motion.
  const scale = () => unit.value == 'seconds' ? 1e-6 : unit.value == 'step' ? 1e-2 : 1
  const send = () => {
    const rate = RATES[Number(slider.value)]
    told()
    app.send({do: 'pace', unit: unit.value, rate: rate === null ? null : rate * scale()})
  }
  slider.addEventListener('input', told)
  slider.addEventListener('change', send)
  unit.addEventListener('change', send)
  app.state.on(['units'], ({units}) => {
    if (unit.children.length == units.length) return
    unit.replaceChildren(...units.map(([value, label]) => h('option', {value}, label)))
    told()
  })
  app.state.on(['pace'], ({pace: [chosen, rate]}) => {
    unit.value = chosen
    const near = x => Math.abs(Math.log(x * scale() / rate))
    const place = rate === null ? RATES.length - 1 : RATES.slice(0, -1).reduce(
      (best, x, k, all) => near(x) < near(all[best]) ? k : best, 0)
    slider.value = String(place)
    told()
  })
  return h('div', {class: 'pace'}, unit, slider, output)
}

// What is solved, what has changed, and what went wrong.
function notices(app) {
  const headline = h('p', {class: 'headline'})
  const changed = h('p', {class: 'settings-changed', role: 'status', hidden: true})
  const complaint = h('p', {class: 'complaint', role: 'alert', hidden: true})
  const notice = h('p', {class: 'compiling', role: 'status', hidden: true})
  const busy = app.busy = h('p', {class: 'compiling', role: 'status', hidden: true},
    'The kernel is busy with another cell. The page goes on when it is idle.')
  const compiling = h('p', {class: 'compiling', hidden: true,
    title: 'The one you run is compiled first.'})
  app.state.on(['notice', 'bounds'], ({notice: told, bounds}) => {
    notice.textContent = [told, bounds].filter(Boolean).join(' ')
    notice.hidden = notice.textContent == ''
  })
  app.state.on(['headline', 'changed', 'complaint', 'compiling', 'phase'], state => {
    headline.textContent = headline.title = state.headline
    changed.hidden = !state.changed || state.phase == 'empty'
    changed.textContent = LIVE.includes(state.phase)
      ? 'Settings changed – Stop, then Run to apply.' : 'Settings changed – Run to apply.'
    complaint.hidden = !state.complaint
    if (complaint.textContent != state.complaint) complaint.textContent = state.complaint
    compiling.hidden = !state.compiling
    compiling.textContent = state.compiling
  })
  const rooms = h('nav', {class: 'rooms', 'aria-label': 'Rooms'},
    button('Lessons', () => app.lessons.open(), {class: 'quiet'}),
    button('Data', () => app.data.open(), {class: 'quiet'}),
    button('Papers', () => app.saved.papers(), {class: 'quiet'}),
    button('Saved runs', () => app.saved.open(), {class: 'quiet'}),
    button('Share', () => app.send({do: 'share'}), {class: 'quiet'}))
  return h('div', {class: 'notices'},
    h('div', {class: 'first'}, headline, compiling, changed, rooms), busy, complaint, notice)
}

// What a link asks for besides settings: ?show=runs,gap&present=1&autoplay=1.
function asked() {
  const query = new URLSearchParams(location.search)
  const show = (query.get('show') ?? '').split(',').filter(Boolean)
  // The list of runs is called by either name.
  return {show, bare: show.length > 0 && !show.some(name => ['run', 'runs'].includes(name)),
    present: query.get('present') == '1', autoplay: query.get('autoplay') == '1'}
}

class App {
  constructor(model, root) {
    this.model = model
    this.root = root
    this.state = new State()
    this.presenting = false
    this.host = root
    this.pointed = null
    this.heard = new Map()
    this.system = window.matchMedia('(prefers-color-scheme: dark)')
    // A cell of a notebook has no address of its own.
    const {cell} = JSON.parse(model.opening).puts
    this.asked = cell ? {show: cell.show, bare: cell.show.length > 0} : asked()
    this.dialogs = new Dialogs(this)
    this.data = new DataDialog(this)
    this.saved = new SavedRuns(this)
    this.lessons = new Lessons(this)
    this.memory = new Memory(this)
  }

  send(message) {
    this.model.send_msg(message)
    if ('do' in message) this.still?.wait()
  }

  // Whether something that happened is told of for the first time.
  isNews(name) {
    const told = this.state.get(name)
    if (!told || told.number <= (this.heard.get(name) ?? 0)) return false
    this.heard.set(name, told.number)
    return true
  }

  // Space: run, or pause, or go on.
  toggle() {
    const phase = this.state.get('phase')
    this.send({do: phase == 'paused' ? 'resume' : LIVE.includes(phase) ? 'pause' : 'run'})
  }

  // The point under the cursor; the server hears of the last of many.
  choose(point) {
    this.gallery.move(point)
    clearTimeout(this.pointed)
    this.pointed = setTimeout(() => this.send({do: 'point', point}), 120)
  }

  present() {
    this.presenting = !this.presenting
    this.root.classList.toggle('presenting', this.presenting)
    // Else the space bar would press the button again.
    this.root.focus()
    this.gallery.show()
  }

  // The choice is kept while it is not what the system asks for.
  chooseTheme() {
    const dark = this.root.dataset.theme != 'dark'
    if (dark == this.system.matches) localStorage.removeItem(THEME)
    else localStorage.setItem(THEME, dark ? 'dark' : 'light')
    this.turn(dark)
  }

  followSystem() {
    const chosen = localStorage.getItem(THEME)
    this.turn(chosen ? chosen == 'dark' : this.system.matches)
  }

  turn(dark) {
    this.root.dataset.theme = dark ? 'dark' : 'light'
    if (!this.state.get('cell'))
      document.documentElement.style.background = dark ? '#101317' : '#ffffff'
    this.gallery.theme()
  }
}

// A message is applied whole; one that is missed, or a page that is new, asks for everything.
function connect(app, gallery) {
  let last = null
  let asking = false
  const lost = () => {
    if (asking) return
    asking = true
    setTimeout(() => { asking = false; app.send({do: 'lost'}) }, 300)
  }
  const take = text => {
    const {number, puts, rows} = JSON.parse(text)
    app.still?.heard()
    const missed = last !== null && number != last + 1
    last = number
    app.state.take(puts)
    for (const [run, source, columns, replace] of rows)
      gallery.sources.take(run, source, columns, replace)
    gallery.settle()
    app.still?.expect()
    if (missed) lost()
    requestAnimationFrame(() => app.send({seen: number}))
  }
  app.model.on('msg:custom', take)
  return take
}

export function render({model, el}) {
  const root = h('div', {class: 'fw', tabindex: '-1'})
  el.append(root)
  const app = new App(model, root)
  Object.defineProperty(app.root, 'activeElement', {get: () => root.getRootNode().activeElement})
  const gallery = app.gallery = new Gallery(app)
  const stage = app.stage = new Stage(app, gallery)
  const runs = app.runs = new Runs(app)
  root.append(bar(app), notices(app), h('div', {class: 'body'},
    h('div', {class: 'column'}, app.lessons.element, runs.element), stage.element),
    app.dialogs.box)
  app.state.on(['cell'], ({cell}) => {
    root.classList.toggle('cell', Boolean(cell))
    root.classList.toggle('commands', cell?.controls ?? false)
  })
  app.state.on(['turned'], ({turned}) => { if (app.isNews('turned')) stage.open(turned.name) })
  app.state.on(['code'], ({code}) => { if (app.isNews('code')) app.dialogs.code(code) })
  const take = connect(app, gallery)
  const follow = () => app.followSystem()
  app.system.addEventListener('change', follow)
  gallery.ready.then(() => {
    take(model.opening)
    follow()
    root.classList.toggle('bare', app.asked.bare)
    if (app.state.get('cell')) app.still = new Still(app)
    else {
      if (app.asked.present) app.present()
      const recalled = app.memory.recall()
      const autoplay = app.asked.autoplay || app.state.get('lesson')?.autoplay
      if (autoplay && !recalled) app.send({do: 'run'})
    }
    root.dataset.live = 'true'
    root.fwExplorer = app
  })
  const deaf = listen(app, gallery, stage)
  model.on('remove', () => {
    app.still?.end()
    deaf()
    app.system.removeEventListener('change', follow)
  })
}
