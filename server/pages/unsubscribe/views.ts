/** The HTML of the pages behind the links of newsletters. There is no script, and no address: a mail may have been forwarded. */
import type { Choice, RecipientChoice } from '../../../jmap/newsletters/links/choice.ts'
import { type Html, html } from '../html.ts'
import type { UnsubscribeWords } from '../newsletter-words/words.ts'
import { card } from '../sign-up/views.ts'

/** Paths of the two pages of a link. */
export interface LinkPaths {
  readonly unsubscribe: string
  readonly preferences: string
}

/** RFC 8058 3.1: what mail providers send; the form sends the same. */
export const ONE_CLICK = { name: 'List-Unsubscribe', value: 'One-Click' } as const

export function askToUnsubscribe(words: UnsubscribeWords, sender: string, paths: LinkPaths): Html {
  const form = html`<form method="post" action="${paths.unsubscribe}"><p><input type="hidden" name="${ONE_CLICK.name}" value="${ONE_CLICK.value}"><button>${words.unsubscribe}</button></p></form>
<p><a href="${paths.preferences}">${words.otherChoices}</a></p>`
  return card(words.unsubscribeTitle(sender), words.unsubscribeHint(sender), form)
}

export function unsubscribed(words: UnsubscribeWords, sender: string, paths: LinkPaths): Html {
  return card(words.done, words.doneHint(sender), html`<p><a href="${paths.preferences}">${words.mistake}</a></p>`)
}

export type Notice = 'saved' | 'fault' | null

export function preferences(
  words: UnsubscribeWords,
  sender: string,
  { list, choice }: RecipientChoice,
  path: string,
  notice: Notice,
): Html {
  const saved = notice === 'saved' && html`<p class="saved" role="status">${words.saved}</p>`
  const body =
    choice === 'none' ? comeBack(words, sender, list, path) : choices(words, sender, { list, choice }, path, notice)
  return html`<header>
<h1>${words.preferencesTitle(sender)}</h1>
</header>
<section class="details">
${saved}
${body}
</section>`
}

function comeBack(words: UnsubscribeWords, sender: string, list: string | null, path: string): Html {
  const form =
    list !== null &&
    html`<form method="post" action="${path}"><p><input type="hidden" name="choice" value="list"><button class="quiet">${words.comeBack(list)}</button></p></form>`
  return html`<p>${words.outHint(sender)}</p>
${form}`
}

function choices(
  words: UnsubscribeWords,
  sender: string,
  { list, choice }: Pick<RecipientChoice, 'list' | 'choice'>,
  path: string,
  notice: Notice,
): Html {
  const option = (value: Choice, label: string, hint: string | false = false) =>
    html`<p class="choice"><input type="radio" name="choice" id="${value}" value="${value}" required${choice === value && html` checked`}${hint && html` aria-describedby="${value}-hint"`}>
<label for="${value}">${label}</label>${
      hint &&
      html`
<small id="${value}-hint">${hint}</small>`
    }</p>`
  return html`<form method="post" action="${path}">
<fieldset${notice === 'fault' && html` aria-describedby="fault"`}>
<legend>${words.question}</legend>
${notice === 'fault' && html`<strong class="fault" id="fault">${words.chooseOne}</strong>`}
${list !== null && [option('list', words.getList(list)), option('notThis', words.getNotThis(list))]}
${option('service', words.getService, words.serviceHint)}
${option('none', words.getNone(sender))}
</fieldset>
<p><button>${words.save}</button></p>
</form>`
}
