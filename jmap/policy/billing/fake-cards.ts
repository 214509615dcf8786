/** Cards of the fake provider: the numbers of Stripe's test cards, with the same effects. */

/** `refused`: it cannot be saved. `fails`: it can be saved, and payments fail. */
type Effect = { readonly kind: 'pays' } | { readonly kind: 'refused' | 'fails'; readonly reason: string }

export const FAKE_CARDS: { readonly [number: string]: Effect } = {
  '4242424242424242': { kind: 'pays' },
  '5555555555554444': { kind: 'pays' },
  '4000000000000002': { kind: 'refused', reason: 'The card was declined.' },
  '4000000000009995': { kind: 'refused', reason: 'The card has insufficient funds.' },
  '4000000000000069': { kind: 'refused', reason: 'The card has expired.' },
  '4000000000000127': { kind: 'refused', reason: 'The security code of the card is wrong.' },
  '4000000000000341': { kind: 'fails', reason: 'The card was declined.' },
  '4000002760003184': { kind: 'fails', reason: 'The payment needs a confirmation by the holder of the card.' },
}

export const FAKE_CARD = '4242424242424242'

/** Why a card cannot be saved, as a sentence; null: it can. */
export function savingFault(card: string): string | null {
  const effect = FAKE_CARDS[card]
  if (!effect) return 'The number is that of no test card.'
  return effect.kind === 'refused' ? effect.reason : null
}

/** Why a saved card does not pay, as a sentence; null: it does. */
export function payingFault(card: string | null): string | null {
  if (card === null) return 'There is no card.'
  const effect = FAKE_CARDS[card]
  return effect && effect.kind !== 'pays' ? effect.reason : null
}
