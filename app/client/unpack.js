// Runs a script that was packed by zlib's raw deflate (RFC 1951), at once: a widget of Jupyter asks
// for BokehJS as soon as it is there, and waits for no promise, as the browser's own way gives.

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83,
  99, 115, 131, 163, 195, 227, 258]
const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769,
  1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577]
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

// A canonical Huffman code of these lengths: how many codes of each, and the symbols in order.
function code(lengths) {
  const counts = new Array(16).fill(0)
  for (const length of lengths) counts[length]++
  counts[0] = 0
  const symbols = lengths.map((length, symbol) => [length, symbol]).filter(([length]) => length)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, symbol]) => symbol)
  return {counts, symbols}
}

function inflate(bytes, size) {
  const out = new Uint8Array(size)
  let bit = 0
  let put = 0
  const take = count => {
    let value = 0
    for (let k = 0; k < count; k++, bit++) value |= (bytes[bit >> 3] >> (bit & 7) & 1) << k
    return value
  }
  const next = ({counts, symbols}) => {
    let first = 0
    let at = 0
    for (let length = 1, value = 0; length < 16; length++) {
      value = value << 1 | take(1)
      first <<= 1
      if (value - first < counts[length]) return symbols[at + value - first]
      at += counts[length]
      first += counts[length]
    }
    throw new Error('The script that a cell holds is damaged: run the cell again.')
  }
  const plain = () => {
    bit = (bit + 7) & ~7
    const count = take(16)
    bit += 16
    out.set(bytes.subarray(bit >> 3, (bit >> 3) + count), put)
    bit += 8 * count
    put += count
  }
  const fixed = () => [code(Array.from({length: 288}, (_, k) =>
    k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8)), code(new Array(30).fill(5))]
  const dynamic = () => {
    const [literals, distances, count] = [take(5) + 257, take(5) + 1, take(4) + 4]
    const small = new Array(19).fill(0)
    for (let k = 0; k < count; k++) small[ORDER[k]] = take(3)
    const lengths = []
    const known = code(small)
    while (lengths.length < literals + distances) {
      const symbol = next(known)
      if (symbol < 16) lengths.push(symbol)
      else {
        const value = symbol == 16 ? lengths[lengths.length - 1] : 0
        const times = symbol == 16 ? 3 + take(2) : symbol == 17 ? 3 + take(3) : 11 + take(7)
        for (let k = 0; k < times; k++) lengths.push(value)
      }
    }
    return [code(lengths.slice(0, literals)), code(lengths.slice(literals))]
  }
  const coded = ([literals, distances]) => {
    for (let symbol = next(literals); symbol != 256; symbol = next(literals)) {
      if (symbol < 256) { out[put++] = symbol; continue }
      const k = symbol - 257
      const length = LENGTHS[k] + take(k < 8 || k == 28 ? 0 : (k >> 2) - 1)
      const far = next(distances)
      const from = put - DISTANCES[far] - take(far < 4 ? 0 : (far >> 1) - 1)
      for (let i = 0; i < length; i++) out[put++] = out[from + i]
    }
  }
  for (let last = 0; !last;) {
    last = take(1)
    const kind = take(2)
    if (kind == 0) plain()
    else coded(kind == 1 ? fixed() : dynamic())
  }
  return out
}

function unpack(name, packed, size) {
  if (window.fwLoaded === name) return
  window.fwLoaded = name
  const script = document.createElement('script')
  script.textContent = new TextDecoder().decode(
    inflate(Uint8Array.from(atob(packed), c => c.charCodeAt(0)), size))
  document.head.append(script)
}
