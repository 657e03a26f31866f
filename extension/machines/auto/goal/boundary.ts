/**
 * What only a person decides. Words of these kinds in what would be asked of the assistant end the machine's turn: it
 * would rather ask once too often. Pure.
 */

const CLASSES: Readonly<Record<string, RegExp>> = {
  delete:
    /\b(?:delet(?:e|es|ed|ing|ion)|remov(?:e|es|ing) (?:all|the|every)|drop(?:s|ping)? (?:the |all )?(?:table|database|branch|data|column)|rm\s+-[a-z]*[rf]|wip(?:e|es|ing)|purg(?:e|es|ing)|destroy(?:s|ing)?|truncat(?:e|es|ing))\b|削除|消去|破棄|删除|清空|销毁/i,
  overwrite:
    /\b(?:overwrit(?:e|es|ing)|force[- ]?push(?:es|ing)?|(?:push|checkout|clean)\s+(?:-f\b|--force)|reset\s+--hard|rewrit(?:e|es|ing) history)|--force\b|上書き|強制|覆盖|强制|强推/i,
  payment:
    /\b(?:pay(?:s|ing|ment|ments)?|purchas(?:e|es|ing)|buy(?:s|ing)?|billing|invoices?|refunds?|credit card|subscri(?:be|bes|bing|ption)|upgrade the plan)\b|支払|購入|課金|返金|付款|支付|购买|退款|订阅/i,
  publish:
    /\b(?:publish(?:es|ing)?|releas(?:e|es|ing)|deploy(?:s|ing|ment)?|go(?:es)? live|ship(?:s|ping)? (?:it|to)|merge (?:in)?to (?:main|master|production)|tag (?:a|the) version|npm publish)\b|公開|リリース|デプロイ|本番|发布|上线|部署|生产环境/i,
  message:
    /\b(?:send(?:s|ing)? (?:an? |the )?(?:e-?mail|message|dm|tweet|post|letter)|e-?mail(?:s|ing)? (?:the|them|him|her|to)|tweet(?:s|ing)?|post(?:s|ing)? (?:it |this )?(?:to|on) |notify (?:the )?(?:customer|client|user)s?|contact(?:s|ing)? (?:the )?(?:customer|client|press))\b|メールを送|投稿|連絡する|通知する|发送邮件|发邮件|发帖|通知客户|联系客户/i,
  credentials:
    /\b(?:passwords?|passphrases?|credentials?|api[- ]?keys?|access tokens?|secrets?|private keys?|ssh keys?|2fa|one[- ]time codes?|log ?in as)\b|パスワード|認証情報|秘密鍵|密码|口令|密钥|凭据|凭证/i,
  legal:
    /\b(?:legal(?:ly)?|lawyers?|licen[cs](?:e|es|ing)|contracts?|terms of service|gdpr|complian(?:ce|t)|nda|sign(?:s|ing)? (?:the|an?) (?:contract|agreement))\b|法務|契約|利用規約|ライセンス|法律|合同|许可证|合规/i,
  taste:
    /\b(?:which (?:one )?(?:do|would) you (?:like|prefer)|your (?:preference|taste)|looks? (?:better|nicer)|choose (?:a|the) (?:colou?r|logo|name|design)|brand(?:ing)?)\b|お好み|好みの|デザインを選|偏好|喜欢哪|品牌/i,
  hiring:
    /\b(?:hir(?:e|es|ing)|fir(?:e|ing) (?:the|an?|him|her)|recruit(?:s|ing)?|salar(?:y|ies)|job offers?|candidates?)\b|採用|解雇|給与|招聘|解雇|薪资|录用/i,
};

/** Whether words of one of these kinds stand in one of the texts, also with letters between that nobody sees. */
export function crossesBoundary(texts: readonly string[]): boolean {
  return texts.some((text) => {
    const plain = text.normalize('NFKC').replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '');
    return Object.values(CLASSES).some((pattern) => pattern.test(plain));
  });
}
