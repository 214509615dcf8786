/** The texts of the sign-up pages. */

export interface Words {
  readonly language: 'en' | 'de'
  readonly title: (name: string) => string
  readonly email: string
  readonly name: string
  readonly optional: string
  readonly leaveEmpty: string
  readonly subscribe: string
  readonly notAnAddress: string
  readonly tooLong: (max: number) => string
  readonly sent: string
  readonly sentHint: string
  readonly confirmTitle: (name: string) => string
  readonly confirmHint: string
  readonly confirm: string
  readonly done: string
  readonly doneHint: (name: string) => string
  readonly goneTitle: string
  readonly gone: string
  readonly unavailableTitle: string
  readonly unavailable: string
  readonly notFoundTitle: string
  readonly notFound: string
  readonly tooManyTitle: string
  readonly tooMany: string
  readonly failedTitle: string
  readonly failed: string
}

export const ENGLISH: Words = {
  language: 'en',
  title: (name) => `Subscribe to ${name}`,
  email: 'Email address',
  name: 'Name',
  optional: 'optional',
  leaveEmpty: 'Leave this field empty',
  subscribe: 'Subscribe',
  notAnAddress: 'Please enter your own email address, such as ada@example.com.',
  tooLong: (max) => `Please write at most ${max} characters.`,
  sent: 'Please check your mail',
  sentHint:
    'If the address can be subscribed, it has got a mail. You are subscribed when you have opened its link and confirmed.',
  confirmTitle: (name) => `Confirm your subscription to ${name}`,
  confirmHint: 'You are not subscribed yet.',
  confirm: 'Confirm the subscription',
  done: 'You are subscribed',
  doneHint: (name) => `You get ${name} from now on. Every mail has a link to unsubscribe.`,
  goneTitle: 'This link is no longer valid',
  gone: 'It was used already, or it is older than three days.',
  unavailableTitle: 'Subscribing is not possible at present',
  unavailable: 'Please try again later, or ask the sender.',
  notFoundTitle: 'There is nothing to subscribe to here',
  notFound: 'The page may have been closed.',
  tooManyTitle: 'Too many requests',
  tooMany: 'Please try again later.',
  failedTitle: 'Something went wrong',
  failed: 'Please try again in a moment.',
}

export const GERMAN: Words = {
  language: 'de',
  title: (name) => `${name} abonnieren`,
  email: 'E-Mail-Adresse',
  name: 'Name',
  optional: 'freiwillig',
  leaveEmpty: 'Lassen Sie dieses Feld leer',
  subscribe: 'Abonnieren',
  notAnAddress: 'Bitte geben Sie Ihre eigene E-Mail-Adresse ein, zum Beispiel ada@example.com.',
  tooLong: (max) => `Bitte schreiben Sie höchstens ${max} Zeichen.`,
  sent: 'Bitte sehen Sie in Ihr Postfach',
  sentHint:
    'Wenn die Adresse angemeldet werden kann, hat sie eine Mail erhalten. Sie haben abonniert, sobald Sie deren Link geöffnet und bestätigt haben.',
  confirmTitle: (name) => `${name}: Anmeldung bestätigen`,
  confirmHint: 'Sie haben noch nicht abonniert.',
  confirm: 'Anmeldung bestätigen',
  done: 'Sie haben abonniert',
  doneHint: (name) => `Sie erhalten ab jetzt ${name}. In jeder Mail steht ein Link zum Abmelden.`,
  goneTitle: 'Dieser Link gilt nicht mehr',
  gone: 'Er wurde schon benutzt oder ist älter als drei Tage.',
  unavailableTitle: 'Abonnieren ist zur Zeit nicht möglich',
  unavailable: 'Bitte versuchen Sie es später noch einmal oder fragen Sie den Absender.',
  notFoundTitle: 'Hier gibt es nichts zu abonnieren',
  notFound: 'Die Seite wurde vielleicht geschlossen.',
  tooManyTitle: 'Zu viele Anfragen',
  tooMany: 'Bitte versuchen Sie es später noch einmal.',
  failedTitle: 'Etwas ist schiefgegangen',
  failed: 'Bitte versuchen Sie es gleich noch einmal.',
}
