/** The index of an archive. There is no script. */
import type { ArchiveIndex } from '../../../jmap/newsletters/archive/read-archive.ts'
import { type Html, html } from '../html.ts'
import type { NewsletterWords } from '../newsletter-words/words.ts'

export function indexPage(
  { language: own, archive: words }: NewsletterWords,
  { organization, entries, next }: ArchiveIndex,
  path: string,
): Html {
  const date = new Intl.DateTimeFormat(own, { dateStyle: 'long', timeZone: 'UTC' })
  const list = entries.map(
    ({ path: url, title, previewText, language, publishedAt }) => html`<li>
<h2 lang="${language}"><a href="${url}">${title}</a></h2>
<p class="soft"><time datetime="${publishedAt}">${date.format(new Date(publishedAt))}</time></p>
${previewText !== null && html`<p lang="${language}">${previewText}</p>`}
</li>`,
  )
  return html`<header>
<h1>${words.title(organization.name)}</h1>
</header>
${entries.length === 0 ? html`<section class="card"><p>${words.empty}</p></section>` : html`<ul class="archive">${list}</ul>`}
${next !== null && html`<p><a class="button quiet" href="${path}?before=${next}">${words.older}</a></p>`}
<p><a href="${path}/feed.xml">${words.feed}</a></p>`
}
