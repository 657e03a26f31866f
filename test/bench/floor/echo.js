/** The other end of the floor: answers every frame with the bytes that a real call of the same kind would carry. */
import { WebSocket } from 'ws';

const [url, answerBytes] = process.argv.slice(2);
const socket = new WebSocket(url, { perMessageDeflate: false });
const answer = Buffer.alloc(4 + Number(answerBytes), 120);
socket.on('open', () => process.stdout.write('ready\n'));
socket.on('message', (data) => {
  data.copy(answer, 0, 0, 4);
  socket.send(answer);
});
socket.on('close', () => process.exit(0));
