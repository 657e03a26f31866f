import type { en } from './en.ts';

export const ja: Record<keyof typeof en, string> = {
  title: '設定',
  firstSteps: 'はじめの手順',
  loading: '設定を読み込んでいます…',
  noWorker: '拡張機能が応答しません。このページを再読み込みしてください。',
  language: '言語',
  language_auto: 'ブラウザに従う',
  languageHint: 'バー、サイドパネル、この画面、そして付属のメッセージの言語です。',

  connection: '接続',
  connectionHint:
    'このブラウザから作業までの道：ブラウザ、native host、runtime、Herdr。このコンピュータの外には何も出ません。',
  test: '接続をテスト',
  testing: 'テスト中…',
  testAgain: 'もう一度テスト',
  allWell: 'すべて応答しています。',
  mendFirst: '最初に直すもの：{name}',
  copy: 'コピー',
  copied: 'コピーしました',
  copyLabel: 'コピー：{command}',
  'check.host': 'native host',
  'check.runtime': 'ローカル runtime',
  'check.herdr': 'Herdr',
  'check.stream': 'live イベント',
  'check.access': 'chatgpt.com へのアクセス',
  'check.pages': '開いているチャット',
  'state.ok': '正常',
  'state.failed': '異常',
  'state.skipped': '未確認',
  'state.note': 'お知らせ',
  'ok.host': 'インストール済みで、この拡張機能を受け入れます。',
  'ok.runtime': '{ms} ミリ秒で応答しました。',
  'ok.herdr': '応答しています。開いているワークスペース：{count}。',
  'ok.stream': 'イベントは起きたときに届いています。',
  'ok.access': 'ブラウザはこの拡張機能の動作を許可しています。',
  'ok.pages': '開いていて応答するチャット：{count}。',
  'why.skipped': 'その前にあるものを先に直す必要があります。',
  'why.host_missing':
    'native host が見つかりません。インストールしてからもう一度テストしてください。ブラウザの再起動は不要です。',
  'why.host_refused': 'ブラウザが native host の起動を拒否しています。もう一度インストールしてください。',
  'why.host_other_build':
    'native host はこの拡張機能の別のビルドに登録されています。ページに触れてよいビルドは一つだけです。こちらに切り替えるには：',
  'why.host_silent': 'native host が名乗りませんでした。どこに何が登録されているかは次で分かります：',
  'why.runtime_away':
    'native host は正常ですが、その先の runtime が応答しません。起動してください（クローンでは npm start）：',
  'why.herdr_away': 'runtime は応答しますが、Herdr が応答しません。理由は次で分かります：',
  'why.stream_away':
    'runtime は応答しますが、イベントがまだ届いていません。数秒ごとに自動で再試行します。少し待ってもう一度テストしてください。',
  'why.access_withheld':
    'ブラウザがこの拡張機能に chatgpt.com を許可していません。chrome://extensions で詳細を開き、サイトを許可してください。',
  'why.pages_none': 'chatgpt.com のチャットは開いていません。',
  'why.pages_old':
    '開いているチャット {open} 件のうち {count} 件が応答しません。このバージョンより前に開かれたものなので、再読み込みしてください。',

  messages: 'メッセージ',
  messagesHint:
    'あなたの名前でチャットに書き込まれる文です。空欄なら、あなたの言語の付属の文を使います。最大 {max} 文字。',
  continueMessage: '「続ける」で送る文',
  settledTemplate: '作業が settled になったとき',
  progressTemplate: '作業が続いている間',
  placeholders: '置き換えられる名前',
  'ph.state': '一文の状態：すべてまたは一部が settled になったか、何個が作業中か',
  'ph.ended': '終わったエージェント（一行に一つ）',
  'ph.agents': 'ワークスペースの全エージェントとその状態',
  'ph.workspace': 'ワークスペースの名前と id',
  'ph.working': 'まだ作業中のエージェントの数',
  'ph.output': '最新の出力（一行ずつ引用）',
  templateUnknown: 'この名前は置き換えられません：{names}',
  templateBare: 'この文には起きたことが何も入りません。少なくとも一つを入れてください：{names}',
  preview: '送られる形（架空のワークスペース）',
  reset: '付属の文に戻す',
  edit: '付属の文から書き始める',

  progress: '進捗',
  tick: '作業中エージェントの出力を確認する間隔（秒）',
  tickHint: '{min} 以上。0 で確認しません。確認と送信は別です。',
  fallback: '新しい出力がなくても進捗を送るまでの時間（秒）',
  fallbackHint: '進捗メッセージの間隔は少なくともこの長さです。0：新しい出力があるときだけ送ります。',

  projects: 'Project での Auto',
  permission: 'ChatGPT Project での Auto を許可する',
  permissionHint: 'これは許可でありスイッチではありません。Project で有効にするまで Auto はオフです。既定はオフです。',

  sites: 'その他のチャットサイト',
  sitesHint:
    '実験的な機能で、既定はオフです。オンにすると、ブラウザにそのサイトだけの許可を求め、オフにするとその許可を返します。サイト自身がワークステーションに接続できる場合は、そちらのほうが良い方法です。',
  'site.claude': 'Claude',
  'site.gemini': 'Gemini',
  'site.grok': 'Grok',
  'site.chatgpt': 'ChatGPT',
  'site.zai': 'Z.ai',
  'site.deepseek': 'DeepSeek',
  siteOn: 'オン。ブラウザは {origin} を許可しています。',
  siteOff: 'オフ。{origin} では何もしません。',
  siteRevoked:
    'ここではオンですが、ブラウザが {origin} を許可しなくなりました。オフにしてからもう一度オンにしてください。',
  siteDenied: 'ブラウザは {origin} を許可しませんでした。オフのままです。',

  advice: 'モデルによる助言',
  adviceHint:
    'プロバイダと鍵はブラウザには決して置きません。ワークステーションで設定します。なくてもすべて動作します：',

  save: '保存',
  saved: '保存しました。',
  unsaved: '保存していない変更があります。',
  notSaved: '保存できませんでした：{why}',
};
