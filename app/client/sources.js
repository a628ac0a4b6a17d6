// The rows that the pictures draw: a Bokeh source for each source of each run.

const numbers = column => column.map(x => x === null ? NaN : Array.isArray(x) ? numbers(x) : x)
const model = name => Bokeh.Models.get(name)

class Sources {
  constructor() { this.held = new Map(); this.taken = new Set(); this.changed = () => {} }

  of(run, name) {
    const key = `${run} ${name}`
    if (!this.held.has(key)) this.held.set(key, new (model('ColumnDataSource'))({data: {}}))
    return this.held.get(key)
  }

  // A glyph may not name a column that is not there.
  need(run, name, columns) {
    const source = this.of(run, name)
    const rows = Math.max(0, ...Object.values(source.data).map(column => column.length))
    const missing = columns.filter(column => !(column in source.data))
    if (missing.length == 0) return source
    const empty = Object.fromEntries(missing.map(column => [column, Array(rows).fill(NaN)]))
    source.setv({data: {...source.data, ...empty}}, {sync: false})
    return source
  }

  take(run, name, columns, replace) {
    if (name == '*') return this.clear(run)
    this.taken.add(`${run} ${name}`)
    const source = this.of(run, name)
    const rows = Object.fromEntries(Object.entries(columns).map(([k, v]) => [k, numbers(v)]))
    const known = Object.keys(source.data)
    const same = known.length > 0 && known.every(column => column in rows)
    if (replace || !same) {
      const count = Math.max(0, ...Object.values(rows).map(column => column.length))
      for (const column of known) rows[column] ??= Array(count).fill(NaN)
      source.setv({data: rows}, {sync: false})
    } else source.stream(rows, undefined, {sync: false})
    this.changed(run, name)
  }

  clear(run) {
    for (const [key, source] of this.held) {
      if (key.split(' ')[0] != run) continue
      this.taken.delete(key)
      const data = Object.fromEntries(Object.keys(source.data).map(column => [column, []]))
      source.setv({data}, {sync: false})
      this.changed(run, key.split(' ')[1])
    }
  }

  column(run, name, column) { return this.held.get(`${run} ${name}`)?.data[column] ?? [] }
}
