import type { HandoffWords } from './en.ts';

export const zh: HandoffWords = {
  resume: '继续交接',
  'phase.preparing': '交接：正在向工作站查询工作链…',
  'phase.summarising': '交接：正在让此对话的模型自行总结…',
  'phase.delivering': '交接：正在把消息交给浏览器…',
  'phase.observing': '交接：正在打开新对话…',
  'phase.verifying': '交接：正在新对话中查找消息…',
  'phase.uncertain': '交接未确认：{why}。消息可能已在新对话中。不会重复发送；“继续”会去查找。',
  'phase.failed': '交接失败：{why}。工作仍在此对话中。',
  'phase.failedCopy': '交接失败：{why}。没有发送任何内容；可以把提示手动粘贴到新对话。',
  'phase.committed': '这项工作在另一个对话中继续。',
  open: '打开',
  copy: '复制提示',
  copied: '提示已复制。',
  notCopied: '无法写入剪贴板。',
};
