// Fields of settings, drawn from what the server says of them.

class Fields {
  constructor(app, run) { this.app = app; this.run = run }

  send(name, value) {
    this.app.send({do: 'set', name, value, ...(this.run === null ? {} : {run: this.run})})
  }

  draw(field) { return this[field.kind](field) }

  // A label with its control, and below it what is wrong with what was typed.
  row(field, control, output = null) {
    const name = field.path ?? field.name
    // What is chosen from a list is never wrong.
    const wrong = control.tagName == 'SELECT' ? undefined : this.app.state.get('faults')
      ?.find(fault => fault.name == name && fault.run == this.run)
    control.dataset.field = name
    control.setAttribute('aria-label', field.label)
    if (field.doc) control.title = field.doc
    if (wrong) {
      control.setAttribute('aria-invalid', 'true')
      if (control.type == 'text') control.value = wrong.value.slice((field.prefix ?? '').length)
    }
    return h('label', {class: `field ${field.kind}`},
      h('span', {class: 'label'}, h('span', {}, field.label), output), control,
      wrong ? h('span', {class: 'fault', role: 'alert'}, wrong.text) : null)
  }

  text(field) {
    const name = field.path ?? field.name
    const {value, placeholder = '', prefix = ''} = field
    return this.row(field, h('input', {type: 'text', value, placeholder,
      autocomplete: 'off', onchange: event => this.send(name, prefix + event.target.value)}))
  }

  switch(field) {
    return this.row(field, h('input', {type: 'checkbox', checked: field.value == 'True',
      onchange: event => this.send(field.name, String(event.target.checked))}))
  }

  select(field) {
    const disabled = new Set(field.disabled ?? [])
    return this.row(field, h('select', {
      onchange: event => this.send(field.path ?? field.name, event.target.value)},
    ...field.choices.map(([value, label]) => h('option', {value, selected: value == field.value,
      disabled: disabled.has(value)}, label))))
  }

  slider(field) {
    const name = field.path ?? field.name
    const {steps} = field
    const place = Math.max(0, steps.findIndex(([value]) => value == field.value))
    const output = h('span', {class: 'value'}, steps[place][1])
    const told = k => { output.textContent = steps[k][1]
      input.setAttribute('aria-valuetext', steps[k][1]) }
    const input = h('input', {type: 'range', min: '0', max: String(steps.length - 1),
      value: String(place), oninput: () => told(Number(input.value)),
      onchange: () => this.send(name, steps[Number(input.value)][0])})
    told(place)
    return this.row(field, input, output)
  }

  sampling(field) {
    const rule = {...field, path: `${field.name}.rule`, label: 'Rule', kind: 'select',
      value: field.rule, choices: field.rules, doc: ''}
    const parts = field.parts.map(part => ({...part, path: `${field.name}.${part.name}`,
      label: part.name == 'fraction' ? field.label : part.label}))
    return h('div', {class: 'sampling'}, ...parts.map(part => this.draw(part)),
      h('p', {class: 'told kappa'}, field.told),
      h('details', {class: 'folded rule', open: field.rule != 'fraction'},
        h('summary', {}, 'Rule of sampling'),
        this.select(rule)))
  }
}

// Draws fields again where they have changed, and leaves the focus where it was.
function redraw(app, box, signature, make) {
  const text = JSON.stringify(signature)
  if (box.dataset.drawn == text) return
  const focused = app.root.activeElement?.dataset?.field
  const held = box.contains(app.root.activeElement) ? focused : undefined
  // What is typed or marked while the answer to another field comes, or how far a slider was moved
  // on while its own comes, is not lost.
  const {value, defaultValue, type, selectionStart, selectionEnd} = app.root.activeElement ?? {}
  box.dataset.drawn = text
  box.replaceChildren(...make())
  const again = held === undefined ? null : box.querySelector(`[data-field="${held}"]`)
  if (again === null) return
  if (['text', 'range'].includes(type) && type == again.type && value != defaultValue
    && !again.hasAttribute('aria-invalid')) {
    again.value = value
    again.dispatchEvent(new Event('input'))
  }
  again.focus()
  if (type != 'text') return
  // What was marked is all of it, as by the Tab key, also where it is another value by now.
  if (selectionStart == 0 && selectionEnd == value.length) again.select()
  else again.setSelectionRange(selectionStart, selectionEnd)
}
