// Lessons: a step at a time beside the views, and what its claims come to.

const TAGS = ['p', 'em', 'strong', 'code', 'pre', 'ul', 'ol', 'li', 'blockquote', 'h4', 'span']
const STATES = {open: 'after the run', holds: 'holds', fails: 'differs here'}

const OTHER = '?lesson='

class Lessons {
  constructor(app) {
    this.app = app
    this.answered = new Map()
    this.title = h('p', {class: 'told'})
    this.heading = h('h2', {tabindex: '-1'})
    this.text = h('div', {class: 'prose'})
    this.claims = h('ul', {class: 'claims', 'aria-label': 'What is claimed'})
    this.asked = h('div', {class: 'asked', role: 'group', 'aria-label': 'Question'})
    const turn = by => () => this.turn(this.shown.name, this.shown.step + by)
    this.back = button('Back', turn(-1))
    this.next = button('Next', turn(1), {class: 'primary'})
    const end = button('Leave', () => app.send({do: 'lesson_end'}), {class: 'quiet'})
    this.element = h('section', {class: 'lesson', 'aria-label': 'Lesson', hidden: true},
      this.title, this.heading, this.text, this.claims, this.asked,
      h('div', {class: 'acts'}, this.back, this.next, end))
    app.state.on(['lesson'], ({lesson}) => this.draw(lesson))
    app.state.on(['lessons'], ({lessons}) => this.list(lessons))
  }

  // Text of a lesson as elements; what is no known tag is a span.
  prose(nodes) {
    return nodes.map(node => {
      if (typeof node === 'string') return node
      const [tag, children, address] = node
      const inner = this.prose(children)
      if (tag == 'a' && address.startsWith(OTHER)) return h('a', {href: address, onclick: event => {
        event.preventDefault()
        this.turn(address.slice(OTHER.length), 0)
      }}, ...inner)
      if (tag == 'a') return h('a', {href: address, target: '_blank', rel: 'noopener'}, ...inner)
      return h(TAGS.includes(tag) ? tag : 'span', {}, ...inner)
    })
  }

  turn(name, step) { this.app.send({do: 'lesson', name, step}) }

  open() {
    this.listed = h('div', {class: 'saved'})
    this.app.dialogs.open('Lessons', this.listed)
    this.app.send({do: 'lessons'})
    this.list(this.app.state.get('lessons'))
  }

  list(lessons) {
    this.listed?.replaceChildren(...(lessons ?? []).map(({name, title, question, steps, trouble}) =>
      h('section', {class: 'kept', 'data-lesson': name}, h('div', {}, h('b', {}, title ?? name),
        trouble ? h('p', {class: 'complaint'}, trouble) : h('p', {}, question)),
      h('div', {class: 'acts'}, trouble ? null : button(`Begin: ${steps} steps`, () => {
        this.app.dialogs.box.close()
        this.turn(name, 0)
      })))))
  }

  draw(lesson) {
    const {root} = this.app
    this.element.hidden = !lesson
    root.classList.toggle('taught', Boolean(lesson))
    root.dataset.hide = lesson ? lesson.hide.join(' ') : ''
    const at = lesson ? `${lesson.name} ${lesson.step}` : ''
    if (lesson) {
      this.shown = lesson
      this.claims.hidden = lesson.claims.length == 0
      this.claims.replaceChildren(...lesson.claims.map(({text, state, measured}) =>
        h('li', {'data-state': state}, text, h('span', {class: 'told'},
          ` (${STATES[state]}${measured ? `: ${measured}` : ''})`))))
      if (at != this.at) this.turned(lesson, at)
    }
    this.at = at
  }

  // Another step: what was answered before is shown again.
  turned(lesson, at) {
    const {title, step, steps, heading, text} = lesson
    this.title.textContent = `${title} · ${step + 1} of ${steps}`
    this.heading.textContent = heading
    this.text.replaceChildren(...this.prose(text))
    this.back.disabled = step == 0
    this.next.disabled = step + 1 == steps
    this.ask(lesson, at)
    this.element.scrollTop = 0
    if (this.at) this.heading.focus()
  }

  ask({asked, answers}, at) {
    const reply = h('p', {class: 'reply', role: 'status'})
    const choose = k => {
      this.answered.set(at, k)
      for (const [other, box] of boxes.entries()) {
        box.setAttribute('aria-pressed', String(other == k))
        box.dataset.right = other == k ? String(answers[k].right) : ''
      }
      reply.replaceChildren(h('strong', {}, answers[k].right ? 'Right. ' : 'Not so. '),
        ...this.prose(answers[k].reply))
    }
    const boxes = answers.map(({text}, k) => h('button', {type: 'button', class: 'choice plain',
      'aria-pressed': 'false', onclick: () => choose(k)}, ...this.prose(text)))
    this.asked.hidden = answers.length == 0
    this.asked.replaceChildren(...this.prose(asked), ...boxes, reply)
    if (this.answered.has(at)) choose(this.answered.get(at))
  }
}
