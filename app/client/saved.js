// What outlives a page: its tab's memory, the link to share, and the list of saved runs.

const FILES = [['html', 'Report (HTML)'], ['csv', 'Points (CSV)'], ['json', 'All (JSON)'],
  ['parquet', 'Parquet']]
const REMEMBERED = 'fw-explorer'

// A tab that is loaded again, or gone back to, shows what it showed.
// Each page of a notebook has a memory of its own.
class Memory {
  constructor(app) {
    this.app = app
    app.state.on(['token'], ({token}) => { if (this.asked) this.note(token) })
  }

  get key() { return `${REMEMBERED}-${this.app.state.get('place')}` }

  note(token) {
    if (token) sessionStorage.setItem(this.key,
      JSON.stringify({token, search: location.search}))
  }

  // Asks for what was there, unless another link was opened since.
  recall() {
    const held = JSON.parse(sessionStorage.getItem(this.key) ?? 'null')
    this.asked = true
    const recalled = held !== null && held.search == location.search
    if (recalled) this.app.send({do: 'return', token: held.token})
    this.note(this.app.state.get('token'))
    return recalled
  }
}

const BUSY_AFTER_MS = 1500
// A page that cannot keep up is sent something every two seconds.
const SILENT_AFTER_MS = 3500

// A cell may be shown without a kernel, as in a saved notebook. A still picture stands there
// then, and the page itself takes no room until a kernel has answered.
class Still {
  constructor(app) {
    this.app = app
    this.waiting = null
    this.style = h('style', {}, `[data-still="${app.state.get('cell').id}"] { display: none }`)
    app.root.classList.add('unheard')
    app.model.send_msg({do: 'lost'})
  }

  heard() {
    clearTimeout(this.waiting)
    this.waiting = null
    this.app.busy.hidden = true
    if (!this.app.root.classList.contains('unheard')) return
    this.app.root.classList.remove('unheard')
    document.head.append(this.style)
  }

  wait(after = BUSY_AFTER_MS) {
    this.waiting ??= setTimeout(() => { this.app.busy.hidden = false }, after)
  }

  // While runs go on the next message is due soon, asked for or not.
  expect() {
    const phase = this.app.state.get('phase')
    if (LIVE.includes(phase) && phase != 'paused') this.wait(SILENT_AFTER_MS)
  }

  end() { this.style.remove() }
}

class SavedRuns {
  constructor(app) {
    this.app = app
    this.list = h('div', {class: 'saved'})
    this.offset = 0
    this.making = h('p', {role: 'status', class: 'told'})
    app.state.on(['file'], ({file}) => { if (file) this.take(file) })
    app.state.on(['complaint'], ({complaint}) => {
      if (this.making.textContent && complaint) this.making.textContent = complaint
    })
    app.state.on(['papers'], ({papers}) => this.listed(papers))
    app.state.on(['share'], ({share}) => { if (app.isNews('share')) this.shared(share) })
    app.state.on(['history'], ({history}) => { if (history) this.draw(history) })
  }

  // Files that the server makes of what is shown.
  take(file) {
    if (file.error) { this.making.textContent = file.error; return }
    const bytes = Uint8Array.from(atob(file.data), c => c.charCodeAt(0))
    save(file.name, bytes, file.mime)
    this.making.textContent = [`${file.name} is saved.`, file.told].filter(Boolean).join(' ')
  }

  shared({query}) {
    const link = location.origin + location.pathname + query
    const field = h('input', {type: 'text', readonly: true, value: link,
      'aria-label': 'Link to these settings'})
    const copied = h('span', {role: 'status'})
    this.making.textContent = ''
    const told = query ? [h('p', {}, 'Who opens this link finds the same data, runs and '
      + 'settings. Run gives the same results, bit for bit, on the same versions.'), field,
      button('Copy link', () => navigator.clipboard.writeText(link)
        .then(() => { copied.textContent = ' Copied.' }), {class: 'primary'}), copied]
      : [h('p', {}, 'No link finds data of your own elsewhere.')]
    const files = FILES.map(([format, label]) => button(label, () => {
      this.making.textContent = 'The file is being made.'
      this.app.send({do: 'take', format})
    }))
    this.app.dialogs.open('Share these settings', ...told, h('h3', {}, 'Take the results away'),
      h('div', {class: 'acts'}, ...files), this.making)
    if (query) field.select()
  }

  papers() {
    this.presets = h('div', {class: 'saved'})
    this.app.dialogs.open('Experiments of the papers', this.presets)
    this.app.send({do: 'papers'})
    this.listed(this.app.state.get('papers'))
  }

  listed(papers) {
    this.presets?.replaceChildren(...(papers ?? []).map(preset => {
      const [head, ...rows] = preset.printed
      const printed = head ? [h('table', {}, h('caption', {}, 'Printed'), h('thead', {}, h('tr', {},
        ...head.map(text => h('th', {scope: 'col'}, text)))), h('tbody', {}, ...rows.map(row =>
        h('tr', {}, ...row.map(text => h('td', {}, text))))))] : []
      return h('section', {class: 'kept', 'data-preset': preset.name}, h('div', {},
        h('b', {}, preset.title), h('p', {class: 'told'}, `${preset.paper}. ${preset.data}.`),
        h('p', {}, preset.look), h('p', {class: 'told'}, `What differs: ${preset.differs}`),
        ...(preset.there ? [] : [h('p', {class: 'told'}, 'Its files are not at hand yet.')]),
        ...printed),
      h('div', {class: 'acts'}, button('Open', () => {
        this.app.dialogs.box.close()
        this.app.send({do: 'paper', name: preset.name})
      })))
    }))
  }

  ask(offset = 0) {
    this.offset = offset
    this.app.send({do: 'history', text: this.search?.value ?? '', offset})
  }

  open() {
    let waiting = null
    this.search = h('input', {type: 'search', placeholder: 'Name, data, solver, note or state',
      'aria-label': 'Search saved runs', oninput: () => {
        clearTimeout(waiting)
        waiting = setTimeout(() => this.ask(), 150)
      }})
    this.count = h('p', {class: 'told'})
    this.app.dialogs.open('Saved runs', this.search, this.count, this.list)
    this.search.focus()
    this.ask()
  }

  draw(history) {
    if (this.search === undefined) return
    this.count.textContent = history.all == 0 ? 'None yet: every run is saved while it goes on.'
      : `${history.all.toLocaleString('en')} in all.`
    const turn = (label, by, shown) => shown ? [button(label, () =>
      this.ask(Math.max(0, this.offset + by)))] : []
    this.list.replaceChildren(...history.rows.map(row => this.row(row)),
      ...turn('Later ones', -50, history.offset > 0), ...turn('Earlier ones', 50, history.more))
  }

  row(run) {
    const {uid} = run
    const figures = JSON.parse(run.figures)
    const when = new Date(1000 * run.created).toLocaleString()
    const parts = [run.title, `point ${run.reached} of ${run.total}`,
      figures.error === null ? '' : `error ${Number(figures.error.toPrecision(3))}`,
      `${figures.active} active`, when]
    const note = h('input', {type: 'text', value: run.note, placeholder: 'Note',
      'aria-label': `Note of ${run.name}`, maxlength: '500',
      onchange: () => this.app.send({do: 'note', uid, text: note.value})})
    const show = () => { this.app.dialogs.box.close(); this.app.send({do: 'show', uid}) }
    return h('section', {class: 'kept', 'data-uid': uid}, h('div', {},
      h('b', {}, run.name), h('span', {class: 'state'}, ` ${run.status}`),
      h('p', {class: 'told'}, parts.filter(Boolean).join(' · '))),
    h('div', {class: 'acts'}, button('Show', show),
      button(run.pinned ? 'Unpin' : 'Pin', () =>
        this.app.send({do: 'keep', uid, pinned: !run.pinned})),
      button('Delete', () => this.remove(run))), note)
  }

  remove({uid, name}) {
    this.app.send({do: 'delete', uid, deleted: true})
    const undo = button('Undo', () => {
      undo.parentElement.remove()
      this.app.send({do: 'delete', uid, deleted: false})
    })
    this.count.after(h('div', {class: 'undo', role: 'status'}, `${name} deleted. `, undo))
  }
}
