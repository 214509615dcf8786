/** The HTML of the sign-up pages, with the style sheet of the booking pages. There is no script. */
import type { SignUpPage } from '../../../jmap/newsletters/sign-up/page.ts'
import { SUBSCRIBER_NAME_MAX_CHARS } from '../../base/audience-limits.ts'
import { type Html, html } from '../html.ts'
import type { SignUpWords } from '../newsletter-words/words.ts'

/** A page with nothing but a message, and perhaps one button. */
export function card(title: string, text: string, action: Html | false = false): Html {
  return html`<section class="card message">
<h1>${title}</h1>
<p>${text}</p>
${action}
</section>`
}

export function confirmation(words: SignUpWords, page: SignUpPage, path: string): Html {
  const button = html`<form method="post" action="${path}"><p><button>${words.confirm}</button></p></form>`
  return card(words.confirmTitle(page.name), words.confirmHint, button)
}

/** What a visitor typed. */
export interface SignUpForm {
  readonly email: string
  readonly name: string
}

export interface Fault {
  readonly field: 'email' | 'name'
  readonly message: string
}

export function signUpForm(
  words: SignUpWords,
  page: SignUpPage,
  path: string,
  form: SignUpForm,
  fault: Fault | null,
): Html {
  const field = (name: Fault['field'], label: string, rest: Html) => {
    const wrong = fault?.field === name
    return html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${form[name]}"${wrong && html` aria-invalid="true" aria-describedby="${name}-fault"`}${rest}>
${wrong && html`<strong class="fault" id="${name}-fault">${fault.message}</strong>`}</p>`
  }
  return html`<header>
<h1>${words.title(page.name)}</h1>
${page.description !== null && html`<p class="description">${page.description}</p>`}
</header>
<section class="details">
<form method="post" action="${path}">
<p class="trap" aria-hidden="true"><label for="website">${words.leaveEmpty}</label><input id="website" name="website" tabindex="-1" autocomplete="off"></p>
${field('email', words.email, html` type="email" required maxlength="254" autocomplete="email"`)}
${field('name', `${words.name} (${words.optional})`, html` maxlength="${SUBSCRIBER_NAME_MAX_CHARS}" autocomplete="name"`)}
<p><button>${words.subscribe}</button></p>
</form>
</section>`
}
