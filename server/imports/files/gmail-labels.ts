/**
 * Labels of Gmail as Takeout writes them, in the language of the account (decision D33). A label of the user with such a name cannot be told
 * from Gmail's own.
 */
import type { SourcePlace, SourceRole } from '../import-source.ts'

export interface ReadLabels {
  readonly places: readonly SourcePlace[]
  readonly keywords: readonly string[]
}

type Meaning = SourceRole | '$flagged' | 'opened' | 'unread' | 'archived'

/** English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Danish, Russian, Turkish, Japanese, Chinese, Korean. */
const NAMES: Readonly<Record<Exclude<Meaning, 'all' | 'archive'>, string>> = {
  inbox:
    'Inbox|Posteingang|Boîte de réception|Recibidos|Bandeja de entrada|Posta in arrivo|Caixa de entrada|Postvak IN|Odebrane|Inkorg|Inkorgen|Indbakke|Входящие|Gelen Kutusu|受信トレイ|收件箱|收件匣|받은편지함',
  sent: 'Sent|Gesendet|Messages envoyés|Envoyés|Enviados|Posta inviata|Inviati|Verzonden|Wysłane|Skickat|Skickade|Sendt|Отправленные|Gönderilmiş Postalar|送信済み|送信済みメール|已发邮件|寄件備份|보낸편지함',
  drafts:
    'Draft|Drafts|Entwürfe|Brouillons|Borradores|Bozze|Rascunhos|Concepten|Wersje robocze|Utkast|Kladder|Черновики|Taslaklar|下書き|草稿|임시보관함',
  junk: 'Spam|Junk|Correo no deseado|Skräppost|Спам|迷惑メール|垃圾邮件|垃圾郵件|스팸함',
  trash:
    'Trash|Bin|Papierkorb|Corbeille|Papelera|Cestino|Lixeira|Lixo|Prullenbak|Kosz|Papperskorgen|Papirkurv|Корзина|Çöp kutusu|ゴミ箱|已删除邮件|垃圾桶|휴지통',
  important:
    'Important|Wichtig|Importants|Importante|Importanti|Importantes|Belangrijk|Ważne|Viktigt|Vigtigt|Важное|Önemli|重要|重要邮件|중요',
  $flagged:
    'Starred|Markiert|Suivis|Favoris|Destacados|Speciali|Com estrela|Met ster|Oznaczone gwiazdką|Stjärnmärkt|Stjernemarkeret|Помеченные|Yıldızlı|スター付き|已加星标|已加星號|별표편지함',
  archived:
    'Archived|Archiviert|Archivés|Archivé|Archivado|Archivados|Archiviati|Archiviate|Arquivado|Arquivados|Gearchiveerd|Zarchiwizowane|Arkiverat|Arkiverade|Arkiveret|Архивированные|Arşivlendi|アーカイブ済み|已归档|已封存|보관됨',
  opened:
    'Opened|Geöffnet|Ouvert|Ouverts|Abierto|Abiertos|Aperti|Aperte|Aberto|Abertos|Geopend|Otwarte|Öppnad|Öppnade|Åbnet|Открытые|Açıldı|開封済み|已打开|已開啟|열림',
  unread:
    'Unread|Ungelesen|Non lus|Non lu|No leído|No leídos|Da leggere|Não lidas|Não lido|Ongelezen|Nieprzeczytane|Olästa|Ulæst|Ulæste|Непрочитанные|Okunmamış|未読|未读|未讀|읽지않음',
}

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(NAMES).flatMap(([meaning, names]) =>
    names.split('|').map((name): [string, Meaning] => [name.toLowerCase(), meaning as Meaning]),
  ),
)

/** "Category Updates", `Kategorie "Werbung"`: tabs of the inbox, no folders. */
const CATEGORY =
  /^(?:Category|Kategorie|Catégorie|Categoría|Categoria|Categorie|Kategoria|Kategori|Категория|カテゴリ|类别|分類|카테고리)[\s:"„“«_：]/iu

/** @param value of X-Gmail-Labels, decoded */
export function readLabels(value: string): ReadLabels {
  const places = new Map<string, SourcePlace>()
  const keywords = new Set<string>(['$seen'])
  for (const label of splitLabels(value)) {
    if (CATEGORY.test(label)) continue
    const meaning = MEANINGS.get(label.toLowerCase())
    if (meaning === 'opened') continue
    if (meaning === 'unread') keywords.delete('$seen')
    else if (meaning === '$flagged') keywords.add('$flagged')
    else {
      const place = placeOf(label, meaning)
      places.set(JSON.stringify(place), place)
    }
  }
  // Mail without a label is archived.
  const isFiled = [...places.values()].some(({ role }) => role !== 'important')
  if (!isFiled) places.set('archive', ARCHIVE)
  return { places: [...places.values()], keywords: [...keywords] }
}

const ARCHIVE: SourcePlace = { path: ['Archive'], role: 'archive' }

function placeOf(label: string, meaning: Exclude<Meaning, '$flagged' | 'opened' | 'unread'> | undefined): SourcePlace {
  if (meaning === 'archived') return ARCHIVE
  if (meaning !== undefined) return { path: [label], role: meaning }
  const path = label.split('/').map((name) => name.trim())
  return { path: path.some((name) => name === '') ? [label] : path, role: null }
}

/** Comma-separated; a label with a comma is in double quotes. */
function splitLabels(value: string): string[] {
  const labels: string[] = []
  let label = ''
  let isQuoted = false
  for (const char of value.replaceAll(/[\r\n]+/g, '')) {
    if (char === '"') isQuoted = !isQuoted
    else if (char === ',' && !isQuoted) {
      labels.push(label.trim())
      label = ''
    } else label += char
  }
  return [...labels, label.trim()].filter((one) => one !== '')
}
