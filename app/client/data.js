// Choosing data, and bringing a file of one's own.

const PART = 3_145_728

// Parts that are under way: while the server takes one, the next are read and sent.
const AHEAD = 4

// A file on its way to the server, part by part. Of two that were chosen one after the other, each
// counts its own.
class Upload {
  constructor(file, send, encode, failed) {
    this.file = file
    this.send = send
    this.encode = encode
    this.failed = failed
    this.sent = this.got = 0
    this.reading = false
  }

  // The server has so many bytes: it may be given more.
  async go({name, size, got}) {
    if (this.file?.name != name || this.file.size != size) return
    this.got = Math.max(this.got, got)
    if (this.reading) return
    this.reading = true
    try {
      while (this.file !== null && this.sent < Math.min(this.file.size, this.got + AHEAD * PART))
        await this.part()
    } catch (error) {
      // It was changed or taken away meanwhile.
      this.failed(`${name} could not be read: ${error.message}`)
    }
    this.reading = false
  }

  async part() {
    const part = this.file.slice(this.sent, this.sent + PART)
    const content = await this.encode(part)
    if (this.file === null) return
    this.sent += part.size
    this.send(content)
  }

  end() {
    this.file = null
  }
}

// A server takes bytes; the wires of notebooks carry text. What a data: address holds behind its
// comma is in base64, and the browser's own encoder is the fastest.
const bytes = part => part.arrayBuffer()

function base64(part) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(part)
  })
}

class DataDialog {
  constructor(app) {
    this.app = app
    this.upload = null
    this.found = h('div', {class: 'solvers'})
    this.brought = h('div', {class: 'brought', 'aria-live': 'polite'})
    app.state.on(['datasets'], () => { if (this.found.isConnected) this.list(this.wanted) })
    app.state.on(['looked'], ({looked}) => { if (app.isNews('looked')) this.seen(looked) })
    app.state.on(['complaint'], ({complaint}) => {
      if (!complaint || !this.brought.isConnected || !app.dialogs.box.open) return
      const told = h('p', {class: 'complaint', role: 'alert'}, complaint)
      this.brought.querySelector('.complaint')?.remove()
      if (this.brought.querySelector('progress')) this.brought.replaceChildren(told)
      else this.brought.prepend(told)
    })
    app.state.on(['bring'], ({bring}) => { if (app.isNews('bring')) this.take(bring) })
  }

  open() {
    const search = h('input', {type: 'search', placeholder: 'Name or size',
      'aria-label': 'Search data', oninput: () => this.list(search.value)})
    const file = h('input', {type: 'file', 'aria-label': 'A file of your own',
      onchange: () => { if (file.files[0]) this.bring(file.files[0]) }})
    const drop = h('label', {class: 'drop',
      ondragover: event => event.preventDefault(),
      ondrop: event => {
        event.preventDefault()
        if (event.dataTransfer.files[0]) this.bring(event.dataTransfer.files[0])
      }}, h('span', {}, 'Drop a file of your own here, or choose one: CSV, Parquet, ARFF, LIBSVM, '
        + 'Vowpal Wabbit, NumPy or MATLAB. Your own server keeps it in your data folder, '
        + 'a public one forgets it with this page.'), file)
    const see = button('Look at the chosen data', () => {
      this.brought.replaceChildren(h('progress', {'aria-label': 'Read'}))
      this.app.send({do: 'data_look'})
    })
    this.brought.replaceChildren()
    this.list('')
    this.app.send({do: 'bring_soon'})
    this.app.dialogs.open('Data', drop, this.make(), see, this.brought, search, this.found)
    this.app.dialogs.box.addEventListener('close', () => {
      if (this.upload) this.app.send({do: 'bring_end'})
      this.end()
    }, {once: true})
    search.focus()
  }

  // Data of a generator: its values are checked by the server, all at once.
  make() {
    const known = this.app.state.get('recipes')
    const box = h('div', {class: 'form'})
    const draw = name => {
      const {title, fields} = known.find(recipe => recipe.name == name)
      const values = Object.fromEntries(fields.map(field => [field.name, field.value]))
      const local = new Fields(this.app, null)
      local.send = (field, value) => { values[field] = value }
      const kinds = h('select', {'aria-label': 'Generator', onchange: event =>
        draw(event.target.value)}, ...known.map(recipe => h('option', {value: recipe.name,
        selected: recipe.name == name}, recipe.title)))
      box.replaceChildren(kinds, ...fields.map(field => local.draw(field)),
        button('Make the data', () => {
          this.brought.replaceChildren(h('progress', {'aria-label': 'Made'}))
          this.app.send({do: 'make', generator: name, values})
        }, {class: 'primary', 'aria-label': `Make the data: ${title}`}))
    }
    draw(known[0].name)
    return h('details', {class: 'folded'}, h('summary', {}, 'Make data'), box)
  }

  list(wanted) {
    this.wanted = wanted
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
    const fits = ([name, title]) => words.every(word =>
      `${name} ${title}`.toLowerCase().includes(word))
    const chosen = this.app.state.get('dataset').name
    const groups = this.app.state.get('datasets')
      .map(([label, entries]) => [label, entries.filter(fits)]).filter(([, found]) => found.length)
    this.found.replaceChildren(...groups.map(([label, entries]) => h('section', {},
      h('h3', {}, label), ...entries.map(([value, title, own]) => h('div', {class: 'entry'},
        h('button', {type: 'button', class: 'choice plain',
          'aria-pressed': String(value == chosen),
          onclick: () => {
            this.app.dialogs.box.close()
            this.app.send({do: 'set', name: 'dataset', value})
          }}, title),
        own && value != chosen ? this.forget(value, title) : null)))))
    if (groups.length == 0) this.found.replaceChildren(h('p', {}, 'No data fit.'))
  }

  // Data of one's own are deleted when that was said twice.
  forget(name, title) {
    const element = button('Forget', () => {
      if (element.textContent != 'Forget') this.app.send({do: 'forget', name})
      element.textContent = 'Delete it for good'
    }, {class: 'quiet', 'aria-label': `Forget ${title}`})
    return element
  }

  bring(file) {
    this.end()
    this.upload = new Upload(file, part => this.app.send({do: 'bring_part', part}),
      this.app.state.get('token') ? bytes : base64, text => {
        this.app.send({do: 'bring_end'})
        this.end()
        this.brought.replaceChildren(h('p', {class: 'complaint', role: 'alert'}, text))
      })
    this.app.send({do: 'bring', name: file.name, size: file.size})
  }

  end() {
    this.upload?.end()
    this.upload = null
  }

  seen({name, look: told, told: trouble}) {
    this.brought.replaceChildren(h('h3', {}, name), told ? look(told)
      : h('p', {class: 'complaint', role: 'alert'}, trouble))
  }

  take(told) {
    // What was said of the last file stays.
    if (told.state == 'none') return
    const acts = {
      coming: () => [h('p', {}, `${told.name} is coming.`),
        h('progress', {max: told.size, value: told.got, 'aria-label': 'Upload'})],
      reading: () => [h('p', {}, `${told.name} is read.`), h('progress', {'aria-label': 'Read'})],
      refused: () => [h('p', {class: 'complaint', role: 'alert'}, told.told),
        ...(told.again ? [this.options({target: '', names: [], choices: told.choices})] : [])],
      read: () => this.report(told),
    }
    this.brought.replaceChildren(...(acts[told.state]?.() ?? []))
    if (told.state == 'coming') this.upload?.go(told)
    // What has not all come cannot be read in another way either.
    if (told.state == 'refused' && !told.again) this.end()
    if (told.state == 'used') { this.end(); this.app.dialogs.box.close() }
  }

  report(told) {
    const lines = told.lines.filter(([label]) => label != 'name')
      .map(([label, text]) => h('tr', {}, h('th', {scope: 'row'}, label), h('td', {}, text)))
    const ways = this.options(told)
    const degree = h('select', {'aria-label': 'Products of features'}, ...told.sizes.map(
      ([value, columns, bytes]) => h('option', {value: String(value)}, value == 1
        ? `the ${columns.toLocaleString('en')} columns as they are`
        : `products up to degree ${value}: ${columns.toLocaleString('en')} columns, `
          + `${size(bytes)} if they were made`)))
    // First what goes on from here: a look at the data is longer than a window is high.
    return [h('div', {class: 'acts'}, button('Use these data', () =>
      this.app.send({do: 'bring_use', degree: Number(degree.value)}), {class: 'primary'}),
    h('label', {class: 'field'}, 'Columns', degree)),
    h('table', {class: 'report'}, ...lines), ways, this.columns(told), look(told.look)]
  }

  // Columns are left out by name; products and the look are those of the rest.
  columns({names, left_out: gone}) {
    const list = h('select', {multiple: true, size: Math.min(8, names.length),
      'aria-label': 'Columns left out'}, ...names.map(name =>
      h('option', {value: name, selected: gone.includes(name)}, name)))
    return h('details', {class: 'folded', open: gone.length > 0},
      h('summary', {}, `Columns left out (${gone.length})`), list,
      button('Leave these out', () => this.app.send({do: 'bring_columns',
        left_out: [...list.selectedOptions].map(option => option.value)})))
  }

  options({target, names, choices}) {
    const known = h('datalist', {id: 'columns'}, ...[target, ...names].map(name =>
      h('option', {value: name})))
    const text = (name, label, value, list) => h('label', {class: 'field'}, label,
      h('input', {type: 'text', value, 'data-way': name, ...(list ? {list} : {})}))
    const select = (name, label) => h('label', {class: 'field'}, label,
      h('select', {'data-way': name}, ...choices[name].map(value => h('option', {value}, value))))
    const box = h('details', {class: 'folded'}, h('summary', {}, 'Read it in another way'), known,
      text('target', 'Response', target, 'columns'), select('task', 'Task'),
      text('positive', 'Class that is +1', ''), select('missing', 'Missing values'),
      select('categorical', 'Columns of text'),
      button('Read again', () => this.app.send({do: 'bring_read', ...Object.fromEntries(
        [...box.querySelectorAll('[data-way]')].map(e => [e.dataset.way, e.value]))})))
    return box
  }
}

function size(bytes) {
  for (const [unit, letter] of [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']])
    if (bytes >= unit) return `${Number((bytes / unit).toPrecision(2))} ${letter}`
  return `${bytes} bytes`
}

// Some rows, the response as a histogram, and where the entries are not zero.
function look(told) {
  const most = Math.max(...told.counts)
  const bars = svg('svg', {viewBox: `0 0 ${told.counts.length} 10`, preserveAspectRatio: 'none',
    role: 'img', 'aria-label': `Histogram of the response, ${told.ends.join(' to ')}`},
  ...told.counts.map((count, k) => svg('rect', {x: String(k + 0.05), width: '0.9',
    y: String(10 - 10 * count / most), height: String(10 * count / most)})))
  const cells = told.grid.flatMap((row, i) => row.map((share, j) => svg('rect', {x: String(j),
    y: String(i), width: '1', height: '1', 'fill-opacity': String(share)})))
  const pattern = svg('svg', {viewBox: `0 0 ${told.grid[0].length} ${told.grid.length}`,
    preserveAspectRatio: 'none', role: 'img',
    'aria-label': `Where entries are not zero: ${(100 * told.density).toPrecision(3)} %`}, ...cells)
  const [rows, columns] = told.more
  return h('div', {class: 'look'},
    h('figure', {}, bars, h('figcaption', {}, `The response, ${told.ends.join(' to ')}`)),
    h('figure', {}, pattern, h('figcaption', {},
      `Not zero: ${(100 * told.density).toPrecision(3)} %`
      + (told.kappa === null ? '' : `; κ/n ${told.kappa.toPrecision(2)}, `
        + 'and the smaller it is, the more sampling rows helps'))),
    h('div', {class: 'tables'}, h('table', {}, h('thead', {}, h('tr', {},
      ...told.head.map(name => h('th', {scope: 'col'}, name)))),
    h('tbody', {}, ...told.rows.map(row => h('tr', {}, ...row.map(x => h('td', {}, x))))))),
    h('p', {class: 'told'}, `and ${rows.toLocaleString('en')} rows and `
      + `${columns.toLocaleString('en')} columns more`))
}
