/**
 * Notices of mail systems in other languages than English: what they call a failed delivery, and the reasons. Exchange, the appliances and
 * the mailbox providers of each country translate the same few sentences (RFC 3464 1.1: the first part of a report may be in any language).
 * Pure. Parts that repeat are bounded.
 */
import type { BounceReason } from './rules/rule.ts'

/** A message was not delivered, in a subject or a sentence. */
export const NOT_DELIVERED_ABROAD = anyOf([
  // German
  'unzustellbar|(?:nicht|fehlgeschlagen|fehler).{0,40}(?:zugestellt|zustell|ausgeliefert)|zustell\\S{0,20}.{0,40}(?:fehl|nicht|gescheitert)|nachrichtenzustellung',
  // French
  '\\bnon (?:remis|distribu|d[ée]livr|livr)|[ée]chec .{0,20}(?:remise|livraison|distribution|envoi)|(?:n.a pas|n.ont pas|ne peut|impossible) .{0,30}(?:remis|remettre|distribu|d[ée]livr|livr|achemin)',
  // Spanish, Portuguese, Italian
  '(?:no se pud|no pud|no se ha podid|no se puede|imposible).{0,20}entreg|no entregad|devuelt|(?:error|fallo|falla) (?:de|en la) entrega',
  'falha (?:na|de) entrega|n[ãa]o (?:foi|p[ôo]de|pode).{0,30}entreg|n[ãa]o entregue|devolvid',
  'non recapitabil|mancat[ao] (?:consegna|recapito)|(?:non|impossibile).{0,30}(?:consegn|recapit)|(?:consegna|recapito) non riuscit',
  // Dutch, Swedish, Danish, Norwegian, Finnish
  'onbestelbaar|niet .{0,20}(?:bezorgd|afgeleverd|besteld)|aflevering mislukt',
  '(?:inte|ikke|kunde inte|kunne ikke|kan inte|kan ikke|g[åa]r inte att|gick inte att).{0,30}lever|ei voi(?:tu|da) toimittaa|toimitus ep[äa]onnistui',
  // Polish, Czech, Hungarian, Turkish, Greek
  'niedostarcz|nie (?:mo[żz]na|uda[łl]o si[ęe]).{0,20}dostarcz|nedoru[čc]|nelze doru[čc]it|k[ée]zbes[íi]thetetlen|nem (?:siker[üu]lt|k[ée]zbes)|teslim edilemedi|iletilemedi|δεν .{0,20}παραδ|μη παραδοτ',
  // Russian, Ukrainian, Bulgarian
  'недоставл|не (?:доставлен|доставлено|удалось.{0,20}достав|может быть достав)|ошибка.{0,10}доставки|не вдалося.{0,20}достав|не е доставен',
  // Chinese, Japanese, Korean
  '退信|退回|(?:投递|投遞|发送|發送|递送|遞送|传递|傳遞)失[败敗]|(?:无法|無法|未能).{0,10}(?:投递|投遞|送达|送達|递送|遞送|传递|傳遞|发送|發送)|未送[达達]',
  '配信(?:不能|できま|エラー|に失敗)|(?:配信|送信|配送|配達|お?届け?).{0,12}(?:できません|失敗)|未配信|エラーメール|不達',
  '(?:배달|전송|발송|전달).{0,10}(?:실패|불가|못했|수 없)|반송|배달되지',
])

/** Attempts continue. */
export const DELAYED_ABROAD = anyOf([
  'verz[öo]gert|retard[ée]|retrasad|demorad|atrasad|in ritardo|ritardat|vertraagd|f[öo]rsenad|forsinke|op[óo][źz]nion|задерж|延[迟遲]|遅(?:延|れて)|지연',
])

/** Reasons, the more certain ones first. */
export const REASONS_ABROAD: readonly (readonly [reason: BounceReason, words: RegExp])[] = [
  [
    'mailboxFull',
    anyOf([
      '(?:postfach|mailbox|speicher).{0,40}(?:voll|[üu]berf[üu]llt|[üu]berschritten)|quota [üu]berschritten',
      'bo[îi]te .{0,40}pleine|quota .{0,30}d[ée]pass|(?:buz[óo]n|casilla|cuota).{0,40}(?:llen[oa]|excedid|superad)',
      'caixa .{0,50}(?:chei[ao]|lotad)|cota .{0,20}excedid|casella .{0,50}piena|quota .{0,20}superata',
      'postvak .{0,30}vol(?![a-z])|brevl[åa]da.{0,30}full|postkasse\\S{0,4}.{0,30}(?:fuld|full)|skrzynk\\S{0,3}.{0,30}(?:pe[łl]n|przepe[łl]n)|posta kutusu.{0,20}dolu',
      'ящик.{0,30}(?:перепол|заполн)|превышен.{0,20}квот',
      '(?:邮箱|郵箱|信箱|空间|空間|容量|配额|配額).{0,10}(?:已?满|已?滿|不足|超)',
      '(?:メールボックス|受信箱|容量).{0,20}(?:いっぱい|一杯|満杯|超え|超過|オーバー)|(?:사서함|편지함|용량).{0,20}(?:가득|초과|꽉)',
    ]),
  ],
  [
    'tooLarge',
    anyOf([
      'nachricht.{0,30}zu gro[ßs]|message .{0,30}trop (?:volumineux|grand|lourd)|mensaje .{0,30}demasiado grande|mensagem .{0,30}muito grande|messaggio .{0,30}troppo grande|bericht .{0,20}te groot',
      'сообщение.{0,20}слишком больш|(?:邮件|郵件).{0,10}(?:太大|过大|過大)|サイズ.{0,20}(?:大きすぎ|超え|超過)|크기.{0,20}초과',
    ]),
  ],
  ['spam', anyOf(['垃圾(?:邮件|郵件)|迷惑メール|スパム|스팸|спам|pourriel|courrier ind[ée]sirable|correo no deseado'])],
  [
    'unknownHost',
    anyOf([
      'dom[äa]ne?.{0,30}(?:unbekannt|existiert nicht|nicht gefunden)|domaine .{0,30}(?:inconnu|n.existe pas|introuvable)|dominio .{0,30}(?:desconocido|no existe|inexistente|sconosciuto|non esiste)',
      'домен.{0,20}не (?:найден|существует)|(?:域名|网域|網域).{0,10}(?:不存在|无效|無效)|ドメイン.{0,20}(?:存在しま|見つかりま)|도메인.{0,20}(?:없|찾을 수)',
    ]),
  ],
  [
    'disabled',
    anyOf([
      '(?:konto|postfach).{0,30}(?:deaktiviert|gesperrt)|compte .{0,30}(?:d[ée]sactiv|suspend)|cuenta .{0,30}(?:desactivad|suspendid|inactiva)|conta .{0,30}(?:desativad|suspens)|account .{0,20}(?:disattivat|sospes)',
      'заблокирован|отключен|(?:账户|帐户|帳戶|邮箱).{0,10}(?:停用|禁用|冻结|凍結)|利用停止|휴면',
    ]),
  ],
  [
    'unknownUser',
    anyOf([
      '(?:empf[äa]nger|benutzer|adresse|konto|postfach).{0,60}(?:unbekannt|existiert nicht|nicht gefunden|ung[üu]ltig|nicht vorhanden|gibt es nicht)|unbekannter? (?:empf|benutzer|adress)',
      '(?:utilisateur|destinataire|adresse|compte|bo[îi]te).{0,60}(?:inconnu|introuvable|n.existe pas|inexistant|invalide|non valide)',
      '(?:usuario|destinatario|direcci[óo]n|cuenta|buz[óo]n|utente|indirizzo|casella|conta(?!\\p{L})|usu[áa]rio|destinat[áa]rio|endere[çc]o).{0,60}(?:desconocid|desconhecid|sconosciut|inexistente|inv[áa]lid|no existe|n[ãa]o existe|non esiste|n[ãa]o (?:foi )?encontrad|non (?:[èe] stat\\S )?trovat)',
      '(?:no se (?:ha )?enc(?:ontr|uentr)|impossibile trovare|n[ãa]o foi poss[íi]vel (?:encontrar|localizar)).{0,40}(?:direcci|usuario|destinat|indirizzo|utente|endere|usu[áa]rio)',
      '(?:e-?mail-?adres|geadresseerde|gebruiker|ontvanger).{0,60}(?:niet .{0,10}gevonden|onbekend|bestaat niet|ongeldig)|onbekende (?:gebruiker|ontvanger)',
      '(?:hitta|finde|finne) .{0,40}(?:e-?post\\S{0,10}adress|mottagar|modtager|mottaker|mail\\S{0,10}adress)|ok[äa]nd (?:mottagare|anv[äa]ndare)|ukendt (?:modtager|bruger)|ukjent (?:mottaker|bruker)',
      'nie znaleziono.{0,40}adres|nieznan[yae] (?:u[żz]ytkownik|odbiorc|adres)|(?:adres|u[žz]ivatel|p[řr][íi]jemc|schr[áa]nk)\\S{0,4}.{0,30}(?:neexistuj|nezn[áa]m)|(?:c[íi]mzett|felhaszn[áa]l[óo]|c[íi]m)\\S{0,4}.{0,20}(?:ismeretlen|nem l[ée]tez)|adres\\S{0,3} bulunamad|bilinmeyen (?:kullan|al[ıi]c)',
      '(?:адрес|пользовател|получател|ящик).{0,40}(?:не найден|не существу|неизвестн|недействит)|не уда(?:ется|лось) найти.{0,40}(?:адрес|получател)|неизвестный (?:пользов|получат)',
      '(?:收件人|用户|用戶|使用者|邮箱|郵箱|信箱|地址|账号|帳號|邮件地址).{0,12}(?:不存在|无效|無效|未找到|找不到|不正确|不正確)|(?:找不到|查无|查無).{0,12}(?:收件人|用户|用戶|使用者|此人|地址)',
      '(?:宛先|あて先|アドレス|ユーザー?|受信者|送信先|メールボックス).{0,40}(?:存在しま|見つかりま|不明|ありません|誤り|間違)|(?:주소|사용자|수신자|받는 사람|계정).{0,30}(?:찾을 수 없|없는|없습니다|존재하지|잘못)|없는 (?:사용자|주소|계정)',
    ]),
  ],
  [
    'policy',
    anyOf([
      'keine berechtigung|nicht (?:berechtigt|erlaubt|zugelassen|gestattet)|abgelehnt|abgewiesen|verweigert|blockiert',
      'refus[ée]|rejet[ée]|non autoris[ée]|pas (?:autoris|l.autorisation)|bloqu[ée]|rechazad|denegad|no (?:est[áa] )?autorizad|no tiene permiso|bloquead|rejeitad|recusad|n[ãa]o (?:est[áa] )?autorizad',
      'rifiutat|respint|non autorizzat|bloccat|geweigerd|niet toegestaan|afgewezen|nekades|inte till[åa]tet|avvis|afvist|ikke tillatt|odrzucon|zablokowan|odm[íi]tnut|zam[íi]tnut|elutas[íi]t|reddedil|engellen',
      'отклонен|отвергнут|запрещен|отказано|не разрешен|нет прав',
      // Who has no permission is told so with this word, whatever the sentence.
      'berechtigung|autorisation|permiso\\b|permiss[ãa]o|autorizzazion|toestemming|machtiging|beh[öo]righet|tilladelse|tillatelse|uprawnie|opr[áa]vn[ěe]n|jogosults|enged[ée]ly|yetki|k[äa]ytt[öo]oikeu|permisiun|dopu[sš]tenj|izin\\b',
      'разрешени|дозвол|δικαίωμα|άδεια|अनुमति|إذن|صلاحية|הרשאה|สิทธิ์|quyền|اجازه|權限|权限|権限|권한',
      '拒绝|拒絕|拒收|被拒|无权|無權|没有权限|沒有權限|权限不足|拒否|権限が?(?:な|あり)|許可されて|受信拒否|거부|차단|권한이 없',
    ]),
  ],
]

function anyOf(words: readonly string[]): RegExp {
  return new RegExp(words.join('|'), 'iu')
}
