/** What the pages of the docs do beyond HTML: copy buttons, examples by language, search. Without it everything is still readable. */

const LANGUAGE = 'docs-language'
const RESULTS_MAX = 12

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** The browser's clipboard needs HTTPS or this machine; elsewhere the old command copies a selection. */
async function copy(text) {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  if (isCopied) return
  const field = element('textarea', { class: 'unseen' })
  field.value = text
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  if (!isDone) throw new Error('not allowed')
}

function addCopyButtons() {
  for (const block of document.querySelectorAll('.prose pre')) {
    const text = block.textContent
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy')
    button.addEventListener('click', async () => {
      await copy(text).then(
        () => button.replaceChildren('Copied'),
        () => button.replaceChildren('Select and copy'),
      )
      setTimeout(() => button.replaceChildren('Copy'), 2000)
    })
    const frame = element('div', { class: 'block' })
    block.replaceWith(frame)
    frame.append(block, button)
  }
}

/** Examples of one thing in several languages become tabs; all groups of the page follow the choice. */
function addTabs() {
  const groups = [...document.querySelectorAll('.languages')].map((group) => {
    const blocks = [...group.querySelectorAll('pre')]
    const tabs = blocks.map((block) => {
      const name = block.dataset.language
      const tab = element('button', { type: 'button', role: 'tab' }, name)
      tab.addEventListener('click', () => {
        localStorage.setItem(LANGUAGE, name)
        for (const each of groups) each.choose(name)
      })
      return tab
    })
    group.classList.add('tabbed')
    group.prepend(element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Language' }, ...tabs))
    const choose = (name) => {
      const at = Math.max(
        0,
        blocks.findIndex((block) => block.dataset.language === name),
      )
      for (const [i, block] of blocks.entries()) {
        block.closest('.block').hidden = i !== at
        tabs[i].setAttribute('aria-selected', String(i === at))
      }
    }
    return { choose }
  })
  for (const group of groups) group.choose(localStorage.getItem(LANGUAGE))
}

/** Entries that have all words, those with the words in their title first. */
function find(entries, question) {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => {
      const [title, text] = [`${entry.title} ${entry.page}`.toLowerCase(), entry.text.toLowerCase()]
      const scores = words.map((word) => (title.includes(word) ? 3 : text.includes(word) ? 1 : 0))
      return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry)
}

function addSearch() {
  let loading
  const load = () => {
    loading ??= fetch('/docs/search.json').then((response) => response.json())
    return loading
  }
  for (const place of document.querySelectorAll('.search')) {
    const field = element('input', { type: 'search', placeholder: 'Search the docs', 'aria-label': 'Search the docs' })
    const results = element('ul', { class: 'results', 'aria-live': 'polite' })
    field.addEventListener('focus', load)
    field.addEventListener('input', async () => {
      const entries = await load()
      const found = find(entries, field.value)
      const items = found.map(({ href, title, page }) =>
        element('li', {}, element('a', { href }, title, element('small', {}, page))),
      )
      if (items.length === 0 && field.value.trim() !== '')
        items.push(element('li', { class: 'none' }, 'Nothing found.'))
      results.replaceChildren(...items)
    })
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') results.querySelector('a')?.click()
      if (event.key === 'Escape') {
        field.value = ''
        results.replaceChildren()
      }
    })
    place.append(field, results)
  }
}

addCopyButtons()
addTabs()
addSearch()
