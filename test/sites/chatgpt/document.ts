/** The document that every address of the page is answered with. */

export const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>ChatGPT</title>
<style>
body{margin:0;font:16px/1.5 system-ui;display:flex;height:100vh;background:#fff;color:#111}
nav{width:200px;border-right:1px solid #ddd;padding:8px;overflow:auto;flex:none}
nav a{display:block;color:inherit}
main{flex:1;display:flex;flex-direction:column;min-width:0}
#thread{flex:1;overflow:auto;padding:16px}
section[data-turn=user]{background:#f4f4f4;border-radius:12px;padding:8px 12px;margin:8px 0 8px 20%}
form{display:flex;gap:8px;margin:0 16px 40px;border:1px solid #ccc;border-radius:24px;padding:8px}
.composer-box{flex:1;max-height:200px;overflow:auto}
.ProseMirror{outline:none;white-space:pre-wrap;min-height:24px}
.ProseMirror p{margin:0}
.placeholder{position:relative}.placeholder::before{content:attr(data-placeholder);color:#999;position:absolute;pointer-events:none}
section .whitespace-pre-wrap{white-space:pre-wrap}
form button{align-self:flex-start}
.text-token-text-tertiary{color:#bbb}
[role=menu]{position:fixed;left:220px;bottom:120px;border:1px solid #ccc;background:#fff;padding:4px}
[role=menu][hidden]{display:none}
@media (prefers-color-scheme:dark){body{background:#212121;color:#eee}section[data-turn=user]{background:#303030}}
</style></head><body><script type="module" src="/stand-in/page.js"></script></body></html>`;
