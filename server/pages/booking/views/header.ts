/** What is booked: the name of the page, with whom, how long. */
import type { PublicPage } from '../../../../jmap/bookings/public-page.ts'
import { type Html, html } from '../../html.ts'
import type { Language } from '../languages.ts'

type Headed = Pick<PublicPage, 'name' | 'host' | 'durationMinutes'> & { readonly description?: string | null }

export function header({ words }: Language, { name, host, durationMinutes, description = null }: Headed): Html {
  return html`<header>
<h1>${name}</h1>
<p class="facts">${host !== null && html`<span>${words.with(host)}</span> `}<span>${words.minutes(durationMinutes)}</span></p>
${description !== null && html`<p class="description">${description}</p>`}
</header>`
}
