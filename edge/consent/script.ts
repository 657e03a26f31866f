/**
 * The page's only script: asks every two seconds whether the request was decided, and goes on by itself. It reads all it
 * needs from the page's attributes and writes text only, never markup.
 */
export const SCRIPT = `
(() => {
  const page = document.getElementById('request');
  const body = JSON.stringify({ request_id: page.dataset.request, page_token: page.dataset.token });
  const show = (state) => {
    for (const part of document.querySelectorAll('[data-state]')) part.hidden = part.dataset.state !== state;
  };
  const minutes = document.getElementById('minutes');
  const left = () => {
    const n = Math.max(0, Math.ceil((Number(page.dataset.expires) - Date.now()) / 60000));
    minutes.textContent = minutes.dataset.text.replace('{minutes}', String(n));
  };
  const post = (path) => fetch(path, {
    method: 'POST', body, cache: 'no-store', credentials: 'omit', headers: { 'content-type': 'application/json' },
  }).then((answer) => answer.json());
  const settle = (answer) => {
    if (answer.redirect) {
      show(answer.state === 'denied' ? 'denied' : 'approved');
      for (const button of document.querySelectorAll('.go-on')) {
        button.hidden = false;
        button.onclick = () => location.assign(answer.redirect);
      }
      location.replace(answer.redirect);
      return true;
    }
    if (answer.state === undefined || answer.state === 'pending' || answer.state === 'slow') return false;
    show(answer.state);
    return true;
  };
  const later = () => setTimeout(ask, Number(page.dataset.every));
  const ask = () => post('/authorize/poll').then(settle, () => false).then((done) => {
    left();
    if (!done) later();
  });
  document.getElementById('cancel').addEventListener('click', () => {
    post('/authorize/cancel').then(settle, () => false);
  });
  left();
  later();
})();
`;
