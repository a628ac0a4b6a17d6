// Making elements: text is always set as text, never parsed, whatever a name or a dataset holds.

function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name in element && typeof value !== 'string') element[name] = value
    else if (value !== null && value !== false) element.setAttribute(name, value)
  }
  element.append(...children.filter(child => child !== null && child !== undefined))
  return element
}

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

const ICONS = {
  run: 'M8 5v14l11-7z',
  pause: 'M6 5h4v14H6zM14 5h4v14h-4z',
  step: 'M6 5v14l9-7zM16 5h3v14h-3z',
  stop: 'M6 6h12v12H6z',
  reset: 'M12 5V1L7 6l5 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z',
  eye: 'M12 5C6 5 2 12 2 12s4 7 10 7 10-7 10-7-4-7-10-7zm0 11a4 4 0 1 1 0-8 4 4 0 0 1 0 8z',
  shut: 'M3 4l17 17-1.4 1.4-4-4A11 11 0 0 1 12 19C6 19 2 12 2 12a18 18 0 0 1 4.2-4.8L1.6 5.4z',
  more: [5, 12, 19].map(x => `M${x} 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4z`).join(''),
  pin: 'M14 2l8 8-4 1-4 4v5l-2 2-4-6-6 6 6-6-6-4 2-2h5l4-4z',
  dark: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z',
  full: 'M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z',
}

function icon(name) {
  const box = svg('svg', {viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'icon'})
  box.append(svg('path', {d: ICONS[name]}))
  return box
}

// A button; an icon's meaning is its label for those who cannot see it, and its title.
function button(label, onclick, {symbol = null, shown = true, ...rest} = {}) {
  const element = h('button', {type: 'button', onclick, ...rest})
  if (symbol !== null) element.append(icon(symbol))
  if (shown) element.append(h('span', {}, label))
  else { element.setAttribute('aria-label', label); element.title = label }
  return element
}

// A drop-down of buttons, which closes when one is pressed or the focus leaves. An entry is what it
// says, what it does, and where it cannot always be done, whether it can be now.
function menu(label, symbol, entries) {
  const items = entries.map(([text, act]) => {
    const item = button(text, () => { box.open = false; act() })
    item.setAttribute('role', 'menuitem')
    return item
  })
  const refresh = () => {
    entries.forEach(([, , can = () => true], k) => { items[k].disabled = !can() })
    // Above where there is no room below.
    list.classList.remove('up')
    list.classList.toggle('up', list.getBoundingClientRect().bottom > window.innerHeight)
  }
  const summary = h('summary', {'aria-label': label, title: label}, icon(symbol))
  const list = h('div', {role: 'menu', class: 'menu-items'}, ...items)
  const box = h('details', {class: 'menu', ontoggle: refresh}, summary, list)
  box.addEventListener('focusout', event => {
    if (!box.contains(event.relatedTarget)) box.open = false
  })
  box.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return
    box.open = false
    summary.focus()
  })
  return box
}

function save(name, content, type = '') {
  const url = typeof content === 'string' && content.startsWith('data:')
    ? content : URL.createObjectURL(new Blob([content], {type}))
  h('a', {href: url, download: name}).click()
  if (url !== content) setTimeout(() => URL.revokeObjectURL(url), 1000)
}

// The state of the page: values by name, and who wants to know of each.
class State {
  constructor() { this.values = {}; this.watchers = [] }
  get(name) { return this.values[name] }
  on(names, act) { this.watchers.push([names, act]) }
  take(puts) {
    Object.assign(this.values, puts)
    // A name with a colon, as row:3, is watched by what is before it.
    const changed = new Set(Object.keys(puts).flatMap(name => [name, name.split(':')[0]]))
    for (const [names, act] of this.watchers)
      if (names.some(name => changed.has(name))) act(this.values, changed)
  }
}
