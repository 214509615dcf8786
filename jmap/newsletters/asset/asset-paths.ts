/** The public paths of assets: unguessable, and of one content for ever. */
import type { Keyring } from '../../../server/base/keyring.ts'
import type { AssetPart } from '../../../storage/repos/newsletter-assets.ts'
import type { NewsletterAssetTable } from '../../../storage/schema/tables.ts'
import { type SignedLink, SignedLinks } from '../../type/signed-links.ts'

const LINKS = new SignedLinks('newsletter assets')
const PATH = /^\/media\/([0-9a-z]{1,10}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{27})(\.thumbnail)?\.([a-z0-9]{3,4})$/

/** Paths in a text; some of them may not be of assets. */
const PATHS = /\/media\/[0-9a-z]{1,10}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{27}(?:\.thumbnail)?\.[a-z0-9]{3,4}/g

const EXTENSIONS: { readonly [type: string]: string } = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
}

export function assetPath(
  keyring: Keyring,
  { account, nonce, content_type, thumbnail_type }: NewsletterAssetTable,
  part: AssetPart,
): string {
  const token = LINKS.makeToken(keyring, { account, nonce })
  return part === 'media'
    ? `/media/${token}.${extensionOf(content_type)}`
    : `/media/${token}.thumbnail.${extensionOf(thumbnail_type)}`
}

export function extensionOf(type: string): string {
  return EXTENSIONS[type] ?? 'bin'
}

export interface AssetPlace extends SignedLink {
  readonly part: AssetPart
  readonly extension: string
}

/** null: this installation did not make it. */
export function readAssetPath(keyring: Keyring, path: string): AssetPlace | null {
  const [, token, thumbnail, extension] = PATH.exec(path) ?? []
  const link = token === undefined ? null : LINKS.readToken(keyring, token)
  return link && { ...link, part: thumbnail === undefined ? 'media' : 'thumbnail', extension: extension! }
}

/** The random parts of the assets of an organization that a text names. @param most paths that are looked at */
export function assetsIn(keyring: Keyring, account: number, text: string, most: number): string[] {
  const paths = new Set<string>()
  for (const [path] of text.matchAll(PATHS)) if (paths.size < most) paths.add(path)
  const places = [...paths].map((path) => readAssetPath(keyring, path))
  return [...new Set(places.flatMap((place) => (place?.account === account ? place.nonce : [])))]
}
