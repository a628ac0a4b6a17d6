// Keys, for those who have both hands on them; none while something is typed or chosen.

const KEYS = [
  ['Space', 'run, pause or resume'],
  ['s', 'make one step'],
  ['x', 'stop'],
  ['r', 'forget the results'],
  ['← →', 'move the cursor along the path'],
  ['1 … 7', 'open a view'],
  ['?', 'this help'],
]

const TYPED = ['INPUT', 'SELECT', 'TEXTAREA', 'SUMMARY', 'BUTTON']

function listen(app, gallery, stage) {
  const pressed = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || app.dialogs.box.open) return
    // In a notebook the keys are the notebook's, unless the page has the focus.
    if (app.state.get('cell') && !event.composedPath().includes(app.root)) return
    const target = event.composedPath()[0]
    // A slider takes arrows alone, and a button or a summary the space bar.
    const slides = target?.matches?.('input[type="range"]') && !event.key.startsWith('Arrow')
    const opens = target?.tagName == 'SUMMARY' && event.key != ' '
    const typing = (TYPED.includes(target?.tagName) && !slides && !opens)
      || target?.isContentEditable
    // Space presses a button, except one that was pressed to choose what is looked at.
    const chooser = target?.matches?.('[role="tab"], .pick, .picks button, .eye')
    if (typing && !(target.tagName == 'BUTTON' && (event.key != ' ' || chooser))) return
    const {views} = stage
    const acts = {
      ' ': () => app.toggle(), s: () => app.send({do: 'step'}), x: () => app.send({do: 'stop'}),
      r: () => app.runs.reset(), Escape: () => app.root.classList.remove('open'),
      '?': () => app.dialogs.help(),
      ArrowLeft: () => app.choose(Math.max(0, at() - 1)),
      ArrowRight: () => app.choose(Math.min(gallery.count() - 1, at() + 1)),
    }
    const at = () => gallery.point < 0 ? gallery.count() - 1 : gallery.point
    const act = acts[event.key] ?? (views[Number(event.key) - 1]
      ? () => stage.open(views[Number(event.key) - 1].name) : undefined)
    if (act === undefined) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  document.addEventListener('keydown', pressed)
  return () => document.removeEventListener('keydown', pressed)
}
