/** What the sign-in, error and pairing pages say, with equal keys in every language. */
import type { Language } from '../http/index.ts';

/** Why a sign-in cannot start and the browser may be sent nowhere. */
export type SignInProblem =
  | 'too_long'
  | 'unknown_app'
  | 'unreadable_app'
  | 'bad_request'
  | 'too_many_open'
  | 'too_fast'
  | 'misconfigured';

export interface Words {
  signInTitle: string;
  /** `{app}` is the app's name. */
  asks: string;
  verified: string;
  unverified: string;
  unverifiedWhy: string;
  goesTo: string;
  loopback: string;
  gets: string;
  scopes: Record<string, string>;
  otherScope: string;
  codeTitle: string;
  codeHint: string;
  runTitle: string;
  runHint: string;
  requestId: string;
  waiting: string;
  /** `{minutes}` is a number. */
  expiresIn: string;
  cancel: string;
  going: string;
  goOn: string;
  denied: string;
  expired: string;
  locked: string;
  again: string;
  /** Why a sign-in cannot start. */
  reasons: Record<SignInProblem, string>;
  errorTitle: string;
  errorNothing: string;
  pairTitle: string;
  pairHint: string;
  pairRun: string;
  pairCode: string;
}

const en: Words = {
  signInTitle: 'Approve a connection',
  asks: '{app} asks to use your workstations',
  verified: 'Verified domain',
  unverified: 'Unverified app',
  unverifiedWhy:
    'It registered itself. Nothing proves that the name is true: go on only if you have just started this.',
  goesTo: 'Access is sent to',
  loopback:
    'This is a program on the computer in front of you. Go on only if you have just started signing in from it.',
  gets: 'It gets',
  scopes: {
    mcp: 'The tools of your workstations: read and change files, run shell commands as you, prompt agents',
    offline_access: 'Staying connected without asking again',
  },
  otherScope: 'Something else',
  codeTitle: 'Your code',
  codeHint: 'Type it at the workstation. Give it to nobody.',
  runTitle: 'Run this on a paired workstation',
  runHint: 'It lists what is open, shows this request, and asks for the code.',
  requestId: 'Request',
  waiting: 'Waiting for your approval. This page goes on by itself.',
  expiresIn: 'Works for another {minutes} min.',
  cancel: 'Cancel',
  going: 'Approved. Going back to the app…',
  goOn: 'Go on',
  denied: 'This request was denied. Nothing was granted.',
  expired: 'This request is too old. Nothing was granted.',
  locked: 'The code was wrong five times, so this request is locked. Nothing was granted.',
  again: 'Start again from the app.',
  reasons: {
    too_long: 'The request of the app is too long.',
    unknown_app:
      'This app is not registered here, or its registration has expired. Remove the connection in the app and add it again.',
    unreadable_app:
      'The description that this app publishes about itself could not be read, or does not fit its address.',
    bad_request: 'The request of the app is not valid, or sends you to an address that the app has not registered.',
    too_many_open: 'Too many sign-ins are open. Deny some with `herdr-mcp connector deny`, or wait ten minutes.',
    too_fast: 'Too many sign-ins from your address. Try again in a minute.',
    misconfigured: 'This edge was set up without the secret that it needs for codes. Only who deployed it can help.',
  },
  errorTitle: 'This sign-in cannot go on',
  errorNothing: 'Nothing was granted, and you were not sent anywhere.',
  pairTitle: 'Pair a workstation',
  pairHint: 'This address belongs to the terminal of the new workstation, not to a browser.',
  pairRun: 'Run this on the new workstation, with the whole address that you were given:',
  pairCode: 'It then asks for the six digits that stand beside the address.',
};

const ja: Words = {
  signInTitle: '接続の承認',
  asks: '{app} があなたのワークステーションの利用を求めています',
  verified: '確認済みのドメイン',
  unverified: '未確認のアプリ',
  unverifiedWhy:
    'このアプリは自分で登録しました。名前が本物である証拠はありません。いま自分で始めた場合だけ続けてください。',
  goesTo: 'アクセス権の送り先',
  loopback: 'これは目の前のコンピュータで動くプログラムです。いまそこからサインインを始めた場合だけ続けてください。',
  gets: '与えられるもの',
  scopes: {
    mcp: 'ワークステーションのツール: ファイルの読み書き、あなたとしてのシェルコマンドの実行、エージェントへの指示',
    offline_access: '再確認なしで接続を保つこと',
  },
  otherScope: 'その他',
  codeTitle: 'あなたのコード',
  codeHint: 'ワークステーションで入力してください。誰にも教えないでください。',
  runTitle: 'ペアリング済みのワークステーションで実行',
  runHint: '待っている要求を一覧し、この要求を示してコードを尋ねます。',
  requestId: '要求',
  waiting: '承認を待っています。このページは自動で先へ進みます。',
  expiresIn: 'あと {minutes} 分有効です。',
  cancel: 'やめる',
  going: '承認されました。アプリに戻ります…',
  goOn: '続ける',
  denied: 'この要求は拒否されました。何も許可されていません。',
  expired: 'この要求は期限切れです。何も許可されていません。',
  locked: 'コードが五回間違っていたため、この要求は使えなくなりました。何も許可されていません。',
  again: 'アプリからやり直してください。',
  reasons: {
    too_long: 'アプリの要求が長すぎます。',
    unknown_app:
      'このアプリはここに登録されていないか、登録の期限が切れています。アプリで接続を削除し、もう一度追加してください。',
    unreadable_app: 'このアプリが公開している自己紹介を読めないか、その内容がアドレスと一致しません。',
    bad_request: 'アプリの要求が正しくないか、アプリが登録していない送り先を指定しています。',
    too_many_open:
      '開いているサインインが多すぎます。`herdr-mcp connector deny` でいくつか拒否するか、十分待ってください。',
    too_fast: 'あなたのアドレスからのサインインが多すぎます。一分後にやり直してください。',
    misconfigured: 'このエッジにはコードに必要な秘密が設定されていません。設置した人だけが直せます。',
  },
  errorTitle: 'このサインインは続けられません',
  errorNothing: '何も許可されておらず、どこにも移動していません。',
  pairTitle: 'ワークステーションのペアリング',
  pairHint: 'このアドレスはブラウザではなく、新しいワークステーションのターミナルで使います。',
  pairRun: '新しいワークステーションで、受け取ったアドレス全体を付けて実行してください:',
  pairCode: 'そのあと、アドレスの横にある六桁の数字を尋ねます。',
};

const zh: Words = {
  signInTitle: '批准连接',
  asks: '{app} 请求使用你的工作站',
  verified: '已验证的域名',
  unverified: '未验证的应用',
  unverifiedWhy: '它是自行注册的，没有任何东西能证明这个名称属实。只有在你刚刚亲自发起时才继续。',
  goesTo: '访问权限将发送到',
  loopback: '这是你面前这台电脑上的程序。只有在你刚刚从它开始登录时才继续。',
  gets: '它将获得',
  scopes: {
    mcp: '工作站上的工具：读写文件、以你的身份运行 shell 命令、向代理发送提示',
    offline_access: '保持连接而不再次询问',
  },
  otherScope: '其他权限',
  codeTitle: '你的验证码',
  codeHint: '在工作站上输入。不要告诉任何人。',
  runTitle: '在已配对的工作站上运行',
  runHint: '它会列出等待中的请求，显示本请求，并询问验证码。',
  requestId: '请求',
  waiting: '正在等待你的批准。本页面会自动继续。',
  expiresIn: '还有 {minutes} 分钟有效。',
  cancel: '取消',
  going: '已批准，正在返回应用…',
  goOn: '继续',
  denied: '此请求已被拒绝，没有授予任何权限。',
  expired: '此请求已过期，没有授予任何权限。',
  locked: '验证码错了五次，此请求已锁定，没有授予任何权限。',
  again: '请从应用重新开始。',
  reasons: {
    too_long: '应用的请求过长。',
    unknown_app: '此应用未在这里注册，或注册已过期。请在应用中删除该连接后重新添加。',
    unreadable_app: '无法读取此应用发布的自我说明，或其内容与地址不符。',
    bad_request: '应用的请求无效，或要把你带到应用未注册的地址。',
    too_many_open: '打开的登录过多。请用 `herdr-mcp connector deny` 拒绝一些，或等待十分钟。',
    too_fast: '来自你所在地址的登录过多，请一分钟后再试。',
    misconfigured: '此边缘缺少生成验证码所需的密钥，只有部署者能解决。',
  },
  errorTitle: '无法继续此登录',
  errorNothing: '没有授予任何权限，也没有跳转到任何地方。',
  pairTitle: '配对工作站',
  pairHint: '这个地址用于新工作站的终端，而不是浏览器。',
  pairRun: '在新工作站上运行下面的命令，并附上你收到的完整地址：',
  pairCode: '随后它会询问地址旁边的六位数字。',
};

export const WORDS: Record<Language, Words> = { en, ja, zh };
