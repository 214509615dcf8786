import { SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { NEWSLETTER_SCOPES } from '../newsletter/newsletter.type.ts'

/**
 * An image or a video for newsletters (decision D20). It is made of uploads to the organization's account. Nothing of it ever changes, and
 * the same octets are one asset.
 */
export const NewsletterAsset = defineType({
  name: 'NewsletterAsset',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'nwa',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    /** The uploads whose octets one after the other are the file. Afterwards what is served, which differs for images. */
    blobIds: p.list(p.id()).fixed(),
    /** One line. */
    filename: p
      .string({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f\\u2028\\u2029/\\\\]+$' })
      .fixed(),
    kind: p.oneOf(['image', 'video']).server().fixed(),
    /** By the octets, whatever the upload was called. */
    contentType: p.string().server().fixed(),
    /** Octets that are served. */
    sizeBytes: p.uint().server().fixed(),
    /** SHA-256 of the uploaded octets, hexadecimal. */
    checksum: p.string().server().fixed(),
    /** Of its public URL, and of that of a small picture of it. */
    path: p.string().server().fixed(),
    thumbnailPath: p.string().server().fixed(),
    /** Pixels; null: the video does not say. */
    width: p.uint().nullable().server().fixed(),
    height: p.uint().nullable().server().fixed(),
    /** null: an image, or a video that does not say. */
    durationSeconds: p.number().nullable().server().fixed(),
    createdAt: p.utcDate().server().fixed(),
  },
  /** `path`: of the file or of its thumbnail. */
  filters: { beforeId: p.string(), path: p.string() },
  sorts: ['createdAt'],
  scopes: NEWSLETTER_SCOPES,
})
