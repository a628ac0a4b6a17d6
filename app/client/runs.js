// The list of runs, which is their legend, status and switch; and the controls of the selected one.

// As many as the server can bring back with what they reached.
const MOST_UNDONE = 5

class Runs {
  constructor(app) {
    this.app = app
    this.away = []
    this.rows = new Map()
    this.dragged = null
    this.list = h('ul', {class: 'list', 'aria-label': 'Runs'})
    this.form = h('div', {class: 'form'})
    this.path = h('div', {class: 'form'})
    this.data = h('div', {class: 'form'})
    this.undo = h('div', {class: 'undo', role: 'status', hidden: true})
    const add = button('+ Add run', () => app.dialogs.add(), {class: 'add'})
    const certified = button('+ Add the certified answer', () =>
      app.send({do: 'certify'}), {class: 'add'})
    app.state.on(['certified'], state => { certified.hidden = state.certified == '' })
    this.title = h('h2', {})
    this.element = h('aside', {class: 'side', 'aria-label': 'Runs and settings'},
      h('h2', {}, 'Runs'), this.list, add, certified, this.undo, this.title, this.form,
      h('details', {class: 'folded'}, h('summary', {}, 'Path and split'), this.path),
      this.about = h('details', {class: 'folded'}, h('summary', {}, 'About the data'), this.data))
    app.state.on(['runs', 'selected'], state => this.draw(state))
    app.state.on(['row'], (state, changed) => this.status(state, changed))
    app.state.on(['phase'], ({phase}) => { if (LIVE.includes(phase)) this.forget('recall') })
    app.state.on(['form', 'faults'], state => this.controls(state))
    app.state.on(['problem', 'faults'], state => redraw(app, this.path,
      [state.problem, state.faults], () => {
        const fields = new Fields(app, null)
        return state.problem.map(field => fields.draw(field))
      }))
    app.state.on(['dataset'], state => this.describe(state.dataset))
  }

  draw(state) {
    const known = new Set(state.runs.map(run => String(run.key)))
    for (const key of [...this.rows.keys()]) if (!known.has(key)) {
      this.rows.get(key).element.remove()
      this.rows.delete(key)
    }
    state.runs.forEach((run, place) => {
      const key = String(run.key)
      if (!this.rows.has(key)) this.rows.set(key, this.row(run))
      const row = this.rows.get(key)
      if (this.list.children[place] !== row.element)
        this.list.insertBefore(row.element, this.list.children[place] ?? null)
      row.run = run
      row.element.classList.toggle('changed', run.changed)
      row.element.classList.toggle('hidden', run.hidden)
      row.element.classList.toggle('chosen', run.key == state.selected)
      row.pick.setAttribute('aria-pressed', String(run.key == state.selected))
      row.more.firstChild.setAttribute('aria-label', `More of ${run.name}`)
      row.name.textContent = run.pinned ? `${run.name} (baseline)` : run.name
      row.swatch.replaceChildren(swatch(run))
      row.eye.replaceChildren(icon(run.hidden ? 'shut' : 'eye'))
      row.eye.setAttribute('aria-label', `${run.hidden ? 'Show' : 'Hide'} ${run.name}`)
      row.eye.setAttribute('aria-pressed', String(!run.hidden))
      this.figures(row, state[`row:${key}`])
    })
  }

  row(run) {
    const send = (name, more = {}) => () => this.app.send({do: name, run: run.key, ...more})
    const row = {run, swatch: h('span', {class: 'swatch'}), name: h('span', {class: 'name'}),
      state: h('span', {class: 'state'}), figures: h('span', {class: 'figures'}),
      eye: button('Hide', send('hide'), {symbol: 'eye', shown: false, class: 'eye'})}
    row.pick = h('button', {type: 'button', class: 'pick', onclick: send('select')},
      h('span', {class: 'first'}, row.swatch, row.name, row.state), row.figures)
    const state = () => this.app.state.get(`row:${run.key}`)?.state
    const is = (...states) => () => states.includes(state())
    row.more = menu(`More of ${run.name}`, 'more', [
      ['Duplicate', send('duplicate')],
      ['Rename', () => this.app.dialogs.rename(row.run)],
      ['Copy code', send('code'), () => state() == 'done' && !row.run.changed],
      ['Pin as baseline', send('pin')],
      ['Move up', () => this.move(run.key, this.place(run.key) - 1),
        () => this.place(run.key) > 0],
      ['Move down', () => this.move(run.key, this.place(run.key) + 1),
        () => this.place(run.key) < this.rows.size - 1],
      ['Pause', send('pause'), is('preparing', 'running')],
      ['Resume', send('resume'), is('paused')],
      ['Step', send('step'), is(...LIVE)],
      ['Stop', send('stop'), is(...LIVE)],
      ['Remove', () => this.remove(row.run)],
    ])
    row.element = h('li', {class: 'run', 'data-solver': run.solver, 'data-run': String(run.key),
      draggable: true, ondragstart: () => { this.dragged = run.key },
      ondragover: event => { if (this.dragged !== null) event.preventDefault() },
      ondrop: event => this.drop(event, run.key), ondragend: () => { this.dragged = null }},
    row.pick, row.eye, row.more)
    return row
  }

  place(key) { return this.app.state.get('runs').findIndex(run => run.key == key) }

  move(key, to) { this.app.send({do: 'move', run: key, to: Math.max(0, to)}) }

  drop(event, key) {
    event.preventDefault()
    if (this.dragged !== null && this.dragged != key) this.move(this.dragged, this.place(key))
  }

  status(state, changed) {
    for (const [key, row] of this.rows)
      if (changed.has(`row:${key}`)) this.figures(row, state[`row:${key}`])
  }

  figures(row, told) {
    if (told === undefined) return
    row.element.dataset.state = told.state
    row.element.style.setProperty('--part', String(told.part ?? 0))
    row.state.textContent = told.state == 'empty' ? '' : told.left || told.state
    row.figures.textContent = row.run.against || told.figures || told.message || ' '
    row.pick.title = [told.more, told.message].filter(Boolean).join('\n')
  }

  remove(run) {
    this.app.send({do: 'remove', run: run.key})
    this.taken('restore', `${run.name} removed. `)
  }

  reset() {
    this.app.send({do: 'reset'})
    this.taken('recall', 'Results forgotten. ')
  }

  // What was taken away can be brought back, the last of it first.
  taken(back, words) {
    this.away = [...this.away, {back, words}].slice(-MOST_UNDONE)
    this.offerUndo()
  }

  // What a new run has taken the place of does not come back.
  forget(back) {
    this.away = this.away.filter(taken => taken.back != back)
    this.offerUndo()
  }

  offerUndo() {
    const last = this.away.at(-1)
    this.undo.hidden = last === undefined
    this.undo.replaceChildren(...(last === undefined ? [] : [last.words, button('Undo', () => {
      this.away.pop()
      this.offerUndo()
      this.app.send({do: last.back})
    })]))
  }

  controls(state) {
    const {form} = state
    this.title.textContent = form === null ? '' : form.title
    redraw(this.app, this.form, [form, state.faults], () => {
      if (form === null) return []
      const fields = new Fields(this.app, form.key)
      const draw = list => list.map(field => fields.draw(field))
      const open = this.form.querySelector('details.advanced')?.open ?? false
      return [h('p', {class: 'told'}, form.reference), ...draw(form.first),
        h('details', {class: 'folded advanced', open},
          h('summary', {}, `Advanced (${form.rest.length})`),
          ...draw(form.rest))]
    })
  }

  describe(dataset) {
    // What has to be done before anything runs is seen.
    if (dataset.missing) this.about.open = true
    redraw(this.app, this.data, dataset, () => [h('p', {class: 'told'}, dataset.about),
      dataset.missing ? button('Download', () => this.app.send({do: 'fetch'}),
        {disabled: dataset.coming}) : null,
      dataset.coming ? h('progress', {max: 100, 'aria-label': 'Download',
        ...(dataset.percent === null ? {} : {value: dataset.percent})}) : null].filter(Boolean))
  }
}

// Colour, dash and marker of a run.
// Bokeh's markers, at 15, 6.
const SHAPES = {
  circle: 'M15 2a4 4 0 1 1 0 8a4 4 0 1 1 0-8z', square: 'M11.5 2.5h7v7h-7z',
  triangle: 'M15 1.5l4.5 8h-9z', inverted_triangle: 'M15 10.5l-4.5-8h9z',
  diamond: 'M15 1l4 5-4 5-4-5z', plus: 'M14 1.5h2V5h3.5v2H16v3.5h-2V7h-3.5V5H14z',
  star: 'M15 .5l1.5 3.7 4 .3-3 2.6.9 3.9L15 8.9 11.6 11l.9-3.9-3-2.6 4-.3z',
}

function swatch(run) {
  const box = svg('svg', {width: '30', height: '12', viewBox: '0 0 30 12', 'aria-hidden': 'true'})
  box.append(svg('line', {x1: '1', x2: '29', y1: '6', y2: '6', stroke: run.colour,
    'stroke-width': '3', 'stroke-dasharray': run.strokes}),
  svg('path', {d: SHAPES[run.marker], fill: run.colour}))
  return box
}
