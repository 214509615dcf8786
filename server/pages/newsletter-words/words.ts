/** The texts of the pages that readers of newsletters see. */
import type { ReaderLanguage } from '../../../jmap/newsletters/content/reader-language.ts'

/** Behind the links of newsletters. @param sender name of the organization @param list name of the audience */
export interface UnsubscribeWords {
  readonly unsubscribeTitle: (sender: string) => string
  readonly unsubscribeHint: (sender: string) => string
  readonly unsubscribe: string
  readonly otherChoices: string
  readonly done: string
  readonly doneHint: (sender: string) => string
  readonly mistake: string
  readonly goneTitle: string
  readonly gone: string
  readonly preferencesTitle: (sender: string) => string
  readonly question: string
  readonly getList: (list: string) => string
  readonly getNotThis: (list: string) => string
  readonly getService: string
  readonly serviceHint: string
  readonly getNone: (sender: string) => string
  readonly save: string
  readonly saved: string
  readonly outHint: (sender: string) => string
  readonly comeBack: (list: string) => string
  readonly chooseOne: string
  readonly notFoundTitle: string
  readonly notFound: string
  readonly testTitle: string
  readonly test: string
  readonly tooManyTitle: string
  readonly tooMany: string
  readonly failedTitle: string
  readonly failed: string
}

/** Of the archive. @param sender name of the organization */
export interface ArchiveWords {
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

/** Of the sign-up pages. @param name of the audience */
export interface SignUpWords {
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

/** All of one language. */
export interface NewsletterWords {
  readonly language: ReaderLanguage
  readonly unsubscribe: UnsubscribeWords
  readonly archive: ArchiveWords
  readonly signUp: SignUpWords
}
