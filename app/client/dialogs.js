// Dialogs: which solver to add, how a run is called, what the keys do.

class Dialogs {
  constructor(app) { this.app = app; this.box = h('dialog', {}) }

  open(title, ...children) {
    const close = button('Close', () => this.box.close(), {class: 'quiet'})
    const heading = h('h2', {id: 'dialog-title'}, title)
    this.box.setAttribute('aria-labelledby', 'dialog-title')
    this.box.replaceChildren(h('header', {}, heading, close), ...children)
    this.box.showModal()
  }

  add() {
    const list = h('div', {class: 'solvers'})
    // Enter takes the solver of that name, or the first that fits.
    const take = () => {
      const choices = [...list.querySelectorAll('button')], wanted = search.value.trim()
      const named = choices.find(choice => choice.dataset.add == wanted.toLowerCase())
      const chosen = named ?? choices.find(choice => !choice.disabled)
      if (wanted != '') chosen?.click()
    }
    const search = h('input', {type: 'search', placeholder: 'Name, method or paper',
      'aria-label': 'Search solvers', oninput: () => draw(search.value),
      onkeydown: event => { if (event.key == 'Enter') { event.preventDefault(); take() } }})
    const draw = wanted => {
      const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
      const fits = solver => words.every(word =>
        `${solver.name} ${solver.title} ${solver.family} ${solver.reference}`.toLowerCase()
          .includes(word))
      const families = new Map()
      for (const solver of this.app.state.get('solvers').filter(fits)) {
        if (!families.has(solver.family)) families.set(solver.family, [])
        families.get(solver.family).push(solver)
      }
      list.replaceChildren(...[...families].map(([family, solvers]) =>
        h('section', {}, h('h3', {}, family), ...solvers.map(solver => this.choice(solver)))))
      if (families.size == 0) list.replaceChildren(h('p', {}, 'No solver fits.'))
    }
    draw('')
    this.open('Add a run', search, list)
    search.focus()
  }

  choice(solver) {
    const against = solver.against
    return h('button', {type: 'button', class: 'choice', disabled: against != '',
      'data-add': solver.name, onclick: () => {
        this.box.close()
        this.app.send({do: 'add', solver: solver.name})
      }}, h('b', {}, solver.name), h('span', {}, solver.title),
    h('small', {}, against || solver.reference))
  }

  // The lines that make a run again.
  code(told) {
    const line = text => h('div', {class: 'code'}, h('pre', {tabindex: '0'}, text),
      button('Copy', () => navigator.clipboard.writeText(text)))
    this.open(`${told.of}, again`, h('p', {}, 'In Python:'), line(told.python),
      ...(told.shell ? [h('p', {}, 'In a shell:'), line(told.shell)] : []),
      ...(told.digest ? [h('p', {class: 'told'}, `The digest is ${told.digest}`)] : []))
  }

  rename(run) {
    // How often it is repeated is no part of its name.
    const value = run.name.replace(/ × \d+$/, '')
    const input = h('input', {type: 'text', value, maxlength: '60',
      'aria-label': 'Name of the run'})
    const form = h('form', {method: 'dialog', onsubmit: () =>
      this.app.send({do: 'rename', run: run.key, name: input.value})}, input,
    h('button', {type: 'submit', class: 'primary'}, 'Rename'))
    this.open('Rename the run', form)
    input.select()
  }

  help() {
    const keys = KEYS.map(([keys, meaning]) => h('tr', {}, h('th', {scope: 'row'}, keys),
      h('td', {}, meaning)))
    this.open('Keys, and how to read the page',
      h('p', {}, 'Each run is a solver, its options and a seed. The title of the large picture '
        + 'says what came of it; the tabs ask other questions of the same runs.'),
      h('p', {}, this.app.state.get('headline') ?? ''), h('table', {}, ...keys))
  }
}
