/** The texts of the archive of newsletters. */

export interface Words {
  readonly language: 'en' | 'de'
  readonly title: (sender: string) => string
  readonly feed: string
  readonly empty: string
  readonly older: string
  readonly notFoundTitle: string
  readonly notFound: string
  readonly tooManyTitle: string
  readonly tooMany: string
  readonly failedTitle: string
  readonly failed: string
}

export const ENGLISH: Words = {
  language: 'en',
  title: (sender) => `Newsletters of ${sender}`,
  feed: 'Feed for readers (RSS)',
  empty: 'There are none yet.',
  older: 'Older newsletters',
  notFoundTitle: 'There is nothing here',
  notFound: 'The newsletter may have been removed.',
  tooManyTitle: 'Too many requests',
  tooMany: 'Please try again in a minute.',
  failedTitle: 'Something went wrong',
  failed: 'Please try again in a moment.',
}

export const GERMAN: Words = {
  language: 'de',
  title: (sender) => `Newsletter von ${sender}`,
  feed: 'Feed zum Abonnieren (RSS)',
  empty: 'Es gibt noch keine.',
  older: 'Ältere Newsletter',
  notFoundTitle: 'Hier gibt es nichts',
  notFound: 'Der Newsletter wurde vielleicht entfernt.',
  tooManyTitle: 'Zu viele Anfragen',
  tooMany: 'Bitte versuchen Sie es in einer Minute noch einmal.',
  failedTitle: 'Etwas ist schiefgegangen',
  failed: 'Bitte versuchen Sie es gleich noch einmal.',
}
