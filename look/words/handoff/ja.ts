import type { HandoffWords } from './en.ts';

export const ja: HandoffWords = {
  resume: '引き継ぎを再開',
  'phase.preparing': '引き継ぎ：ワークステーションに作業の記録を確認しています…',
  'phase.summarising': '引き継ぎ：この会話のモデルに要約させています…',
  'phase.delivering': '引き継ぎ：メッセージをブラウザに渡しています…',
  'phase.observing': '引き継ぎ：新しい会話を開いています…',
  'phase.verifying': '引き継ぎ：新しい会話でメッセージを確認しています…',
  'phase.uncertain':
    '引き継ぎは未確認です：{why}。メッセージは新しい会話に届いている可能性があります。再送はしません。「再開」で確認します。',
  'phase.failed': '引き継ぎに失敗しました：{why}。作業はこの会話のままです。',
  'phase.failedCopy':
    '引き継ぎに失敗しました：{why}。何も届いていません。プロンプトを新しい会話に手で貼り付けられます。',
  'phase.committed': 'この作業は別の会話で続いています。',
  open: '開く',
  copy: 'プロンプトをコピー',
  copied: 'プロンプトをコピーしました。',
  notCopied: 'クリップボードに書き込めませんでした。',
};
