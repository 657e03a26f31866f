/** Every method of the protocol that is built here, by family, and the one function that answers a line. */
export { type AnswererPorts, answerer, parseRequest } from './answer.ts';
export { quoted } from './start.ts';
