/** Link and Relation (jscalendarbis 1.5.10, 1.5.11). */

/** Context of a Relation in an event: `first`, `next`, `child`, `parent`; in an alert: `snooze`. Names of others are kept. */
export type Relation = {
  readonly '@type'?: 'Relation'
  /** String[Boolean]; each value is true. Empty or absent: `parent`. */
  readonly relation?: { readonly [relation: string]: true }
}

export type Link = {
  readonly '@type'?: 'Link'
  /** A URI. One of `href` and `blobId` is there. */
  readonly href?: string
  /** JMAP Calendars 5.3: an attachment in the account, in place of `href`. */
  readonly blobId?: string
  /** A media type. */
  readonly contentType?: string
  /** Octets, when decoded. */
  readonly size?: number
  /** A link relation (RFC 8288). Absent: `enclosure`, an attachment. */
  readonly rel?: string
  /** `badge`, `graphic`, `fullsize`, `thumbnail`; for `rel: 'icon'` only. */
  readonly display?: { readonly [purpose: string]: true }
  readonly title?: string
}

/** By an Id that the writer chose. */
export type Links = { readonly [id: string]: Link }
