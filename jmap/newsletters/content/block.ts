/** The blocks of a newsletter, as the contract lists them. */

/** Prose is plain text; each line is a paragraph. Merge fields work in all texts but code. */
export type Block =
  | { readonly type: 'heading'; readonly text: string; readonly level?: 1 | 2 | 3 }
  | { readonly type: 'paragraph'; readonly body: string }
  | { readonly type: 'list'; readonly ordered?: boolean; readonly items: readonly string[] }
  | CalloutBlock
  | { readonly type: 'button'; readonly label: string; readonly url: string; readonly align?: Align }
  | ImageBlock
  | { readonly type: 'video'; readonly video_url: string; readonly thumbnail_url: string; readonly label: string }
  | ColumnsBlock
  | LinkListBlock
  | { readonly type: 'quote'; readonly body: string; readonly cite?: string | null }
  | { readonly type: 'divider' }
  | { readonly type: 'spacer'; readonly height?: number }
  | { readonly type: 'code'; readonly code: string }
  | { readonly type: 'custom_html'; readonly html: string }

export type BlockType = Block['type']
export type BlockOf<T extends BlockType> = Extract<Block, { readonly type: T }>

export const ALIGNS = ['left', 'center', 'right'] as const
export type Align = (typeof ALIGNS)[number]

export const CALLOUT_VARIANTS = ['accent', 'info', 'warning', 'success'] as const
export type CalloutVariant = (typeof CALLOUT_VARIANTS)[number]

export const COLUMN_RATIOS = ['50-50', '33-67', '67-33'] as const
export type ColumnRatio = (typeof COLUMN_RATIOS)[number]

export interface CalloutBlock {
  readonly type: 'callout'
  readonly title?: string | null
  readonly body: string
  readonly variant?: CalloutVariant
}

export interface ImageBlock {
  readonly type: 'image'
  readonly url: string
  /** What it shows, for those who do not see it. '' for an image that only decorates. */
  readonly alt: string
  readonly link_url?: string | null
  readonly caption?: string | null
  readonly caption_url?: string | null
}

export interface Column {
  readonly title?: string | null
  readonly body: string
  readonly image_url?: string | null
  readonly image_alt?: string | null
  readonly cta_label?: string | null
  readonly cta_url?: string | null
}

export interface ColumnsBlock {
  readonly type: 'columns'
  readonly ratio?: ColumnRatio
  readonly left: Column
  readonly right: Column
}

export interface LinkListBlock {
  readonly type: 'link_list'
  readonly title?: string | null
  readonly items: readonly LinkItem[]
}

export interface LinkItem {
  readonly label: string
  readonly url: string
  readonly description?: string | null
}
