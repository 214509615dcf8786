// Makes the booking pages faster. They are complete without it: links and forms are fetched and shown in place, the visitor's time zone
// is found, and a form is sent once.

const main = () => document.querySelector('main')
document.documentElement.classList.add('script')

/** Pages that are under way or were fetched because the pointer is on a link; a slot may go at any time, so they are kept shortly. */
const fetched = new Map()
const KEPT_MS = 5_000

function load(url) {
  const known = fetched.get(url)
  if (known && Date.now() - known.at < KEPT_MS) return known.text
  const text = fetch(url, { headers: { Accept: 'text/html' } }).then(async (answer) => {
    if (!answer.ok) throw new Error(String(answer.status))
    return answer.text()
  })
  fetched.set(url, { at: Date.now(), text })
  text.catch(() => fetched.delete(url))
  return text
}

/** Only the newest wish counts. */
let wish = 0

async function show(url, { push = true, focus = true } = {}) {
  const own = ++wish
  main().classList.add('busy')
  try {
    const text = await load(url)
    if (own !== wish) return
    const next = new DOMParser().parseFromString(text, 'text/html')
    const focused = document.activeElement?.id
    main().replaceWith(next.querySelector('main'))
    document.title = next.title
    if (push) history.pushState(null, '', url)
    if (focus) refocus(focused)
    detectZone()
  } catch {
    if (own === wish) location.assign(url)
  }
}

/** Where the keyboard was, or at what is new: the times of a day, the form. */
function refocus(id) {
  const same = id ? document.getElementById(id) : null
  const target = same ?? document.querySelector('#details, #day, #move') ?? main()
  if (!target.matches('a, button, input, select, textarea, main')) target.tabIndex = -1
  target.focus({ preventScroll: same !== null })
}

function withHours(url) {
  const hours = new URL(location.href).searchParams.get('hours')
  if (hours && !url.searchParams.has('hours')) url.searchParams.set('hours', hours)
  return url
}

/** Shows times in the zone of the browser, unless the visitor has chosen one. */
function detectZone() {
  const shown = document.querySelector('[data-detect-zone]')?.dataset.detectZone
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!shown || !zone) return
  const url = withHours(new URL(location.href))
  url.searchParams.set('timezone', zone)
  if (zone !== shown) show(url.href, { push: false, focus: false }).then(() => history.replaceState(null, '', url.href))
  else document.querySelector('[data-detect-zone]').removeAttribute('data-detect-zone')
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-swap]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return
  event.preventDefault()
  show(link.href)
})

document.addEventListener('pointerover', (event) => {
  const link = event.target.closest('a[data-swap]')
  if (link) load(link.href).catch(() => {})
})

function submitSwap(form) {
  const url = new URL(form.action)
  const kept = new URL(location.href).searchParams
  for (const [name, value] of [...kept, ...new FormData(form)]) url.searchParams.set(name, value)
  show(url.href)
}

document.addEventListener('change', (event) => {
  const form = event.target.closest('form[data-swap]')
  if (form) submitSwap(form)
})

document.addEventListener('submit', (event) => {
  if (event.target.matches('form[data-swap]')) {
    event.preventDefault()
    submitSwap(event.target)
  }
  if (event.target.matches('form[data-once]'))
    for (const button of event.target.querySelectorAll('button')) button.disabled = true
})

addEventListener('popstate', () => show(location.href, { push: false }))
// A page from the history has its buttons again.
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[disabled]')) button.disabled = false
})
document.querySelector('.faults')?.focus()
detectZone()
