/** What the preflight says of the content: subject and body, links, images. Pure. */
import type { Compiled } from './compile.ts'
import { fail, type PreflightItem, pass, warning } from './preflight-item.ts'

/** @param subject as it was written @param deleted assets that it names and that are gone */
export function contentItems(compiled: Compiled, subject: string, deleted: number): PreflightItem[] {
  if ('faults' in compiled)
    return [
      fail('body', compiled.faults[0]?.message ?? 'The content is not valid.', 'blocks'),
      warning('links', 'They are checked when the body is right.'),
      warning('images', 'They are checked when the body is right.'),
    ]
  const { warnings, urls } = compiled
  const first = (...codes: readonly string[]) => warnings.find(({ code }) => codes.includes(code))?.message
  const dirt = first('html_cleaned', 'merge_field_without_fallback', 'gmail_clipping')
  const body =
    subject.trim() === ''
      ? fail('body', 'There is no subject. Set subject.', 'subject')
      : dirt !== undefined
        ? warning('body', dirt, 'blocks')
        : pass('body', 'Subject and content are there.')
  const links =
    urls.offendingUrls.length > 0
      ? fail(
          'links',
          `There are ${urls.uniqueUrlCount} different URLs, images included; ${urls.maxUniqueUrls} are allowed. Remove some.`,
          'blocks',
        )
      : pass('links', `${urls.uniqueUrlCount} of ${urls.maxUniqueUrls} different URLs are used.`)
  const picture = first('missing_alt', 'insecure_image')
  const images =
    deleted > 0
      ? fail('images', `${deleted} images or videos in it were deleted. Upload them again, or remove them.`, 'blocks')
      : picture !== undefined
        ? warning('images', picture, 'blocks')
        : pass('images', `${urls.imageSrcCount} images, each with a text.`)
  return [body, links, images]
}
