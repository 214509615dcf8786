/** The HTML of the fake provider's pages, with the style sheet of the booking pages. There is no script. */
import type { FakeLink } from '../../../jmap/billing/fake-link.ts'
import type { FakePage } from '../../../jmap/billing/fake-provider.ts'
import { FAKE_CARD, FAKE_CARDS } from '../../../jmap/policy/billing/fake-cards.ts'
import { PLANS } from '../../base/sending-limits.ts'
import { type Html, html } from '../html.ts'

/** @param returnUrl an http(s):// URL; null: no link */
export function card(title: string, text: string, returnUrl: string | null): Html {
  return html`<section class="card message">
<h1>${title}</h1>
<p>${text}</p>
${returnUrl !== null && html`<p><a href="${returnUrl}">Return</a></p>`}
</section>`
}

export function checkoutView(
  { organization }: FakePage,
  { plan, trialDays }: Extract<FakeLink, { use: 'checkout' }>,
  path: string,
  fault: string | null,
): Html {
  const days = trialDays > 0 ? `, with a trial of ${trialDays} days` : ''
  return html`<header>
<h1>Subscribe to ${PLANS[plan].name}</h1>
<p class="description">${organization}${days}. This is a test: nobody pays.</p>
</header>
${cardForm(path, 'subscribe', 'Subscribe', fault)}`
}

export function portalView({ organization, account }: FakePage, path: string, fault: string | null): Html {
  const { subscription } = account
  const end = subscription && new Date(subscription.periodEnd).toISOString().slice(0, 'yyyy-mm-dd'.length)
  const isRunning = subscription !== null && subscription.endedAt === null
  const action = subscription?.isCancelled ? 'resume' : 'cancel'
  return html`<header>
<h1>Billing of ${organization}</h1>
<p class="description">${isRunning ? `${PLANS[subscription.plan].name}, ${action === 'resume' ? 'ends' : 'renews'} on ${end}` : 'No subscription'}. This is a test: nobody pays.</p>
</header>
${cardForm(path, 'card', 'Save the card', fault)}
${isRunning && html`<form method="post" action="${path}"><p><button name="action" value="${action}">${action === 'cancel' ? 'Cancel the subscription' : 'Keep the subscription'}</button></p></form>`}`
}

function cardForm(path: string, action: 'subscribe' | 'card', label: string, fault: string | null): Html {
  return html`<section class="details">
<form method="post" action="${path}">
<p><label for="card">Number of a test card</label>
<input id="card" name="card" value="${FAKE_CARD}" required list="cards" autocomplete="off"${fault !== null && html` aria-invalid="true" aria-describedby="card-fault"`}>
<datalist id="cards">${Object.keys(FAKE_CARDS).map((number) => html`<option value="${number}">`)}</datalist>
${fault !== null && html`<strong class="fault" id="card-fault">${fault}</strong>`}</p>
<p><button name="action" value="${action}">${label}</button></p>
</form>
</section>`
}
