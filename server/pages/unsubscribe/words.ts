/** The texts of the pages behind the links of newsletters. */

/** @param sender name of the organization @param list name of the audience */
export interface Words {
  readonly language: 'en' | 'de'
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
  readonly tooManyTitle: string
  readonly tooMany: string
  readonly failedTitle: string
  readonly failed: string
}

export const ENGLISH: Words = {
  language: 'en',
  unsubscribeTitle: (sender) => `Unsubscribe from ${sender}?`,
  unsubscribeHint: (sender) => `You will get no newsletter of ${sender} any more.`,
  unsubscribe: 'Unsubscribe',
  otherChoices: 'Choose what you get',
  done: 'You are unsubscribed',
  doneHint: (sender) => `You get no newsletter of ${sender} any more.`,
  mistake: 'Was it a mistake? Choose what you get',
  goneTitle: 'You get no more mail from this sender',
  gone: 'The sender has left this service.',
  preferencesTitle: (sender) => `What do you want to get from ${sender}?`,
  question: 'Please choose',
  getList: (list) => `${list}, as before`,
  getNotThis: (list) => `Not ${list}; other newsletters as before`,
  getService: 'Service mail only',
  serviceHint: 'Messages about your account or your orders, no newsletters.',
  getNone: (sender) => `No newsletters of ${sender} at all`,
  save: 'Save',
  saved: 'Your choice is saved.',
  outHint: (sender) => `You get no newsletter of ${sender}.`,
  comeBack: (list) => `Get ${list} again`,
  chooseOne: 'Please choose one of these.',
  notFoundTitle: 'This link is not valid',
  notFound: 'Please copy the whole link from the mail, or answer the mail.',
  tooManyTitle: 'Too many requests',
  tooMany: 'Please try again in a minute.',
  failedTitle: 'Something went wrong',
  failed: 'Please try again in a moment.',
}

export const GERMAN: Words = {
  language: 'de',
  unsubscribeTitle: (sender) => `Newsletter von ${sender} abbestellen?`,
  unsubscribeHint: (sender) => `Sie erhalten dann keinen Newsletter von ${sender} mehr.`,
  unsubscribe: 'Abbestellen',
  otherChoices: 'Auswählen, was Sie erhalten',
  done: 'Sie sind abgemeldet',
  doneHint: (sender) => `Sie erhalten keinen Newsletter von ${sender} mehr.`,
  mistake: 'War es ein Versehen? Auswählen, was Sie erhalten',
  goneTitle: 'Sie erhalten keine Mail mehr von diesem Absender',
  gone: 'Der Absender hat diesen Dienst verlassen.',
  preferencesTitle: (sender) => `Was möchten Sie von ${sender} erhalten?`,
  question: 'Bitte wählen Sie',
  getList: (list) => `${list}, wie bisher`,
  getNotThis: (list) => `${list} nicht mehr, andere Newsletter wie bisher`,
  getService: 'Nur Servicemails',
  serviceHint: 'Nachrichten zu Ihrem Konto oder Ihren Bestellungen, keine Newsletter.',
  getNone: (sender) => `Gar keine Newsletter von ${sender}`,
  save: 'Speichern',
  saved: 'Ihre Auswahl ist gespeichert.',
  outHint: (sender) => `Sie erhalten keinen Newsletter von ${sender}.`,
  comeBack: (list) => `${list} wieder erhalten`,
  chooseOne: 'Bitte wählen Sie eine dieser Möglichkeiten.',
  notFoundTitle: 'Dieser Link gilt nicht',
  notFound: 'Bitte kopieren Sie den ganzen Link aus der Mail oder antworten Sie auf die Mail.',
  tooManyTitle: 'Zu viele Anfragen',
  tooMany: 'Bitte versuchen Sie es in einer Minute noch einmal.',
  failedTitle: 'Etwas ist schiefgegangen',
  failed: 'Bitte versuchen Sie es gleich noch einmal.',
}
