/**
 * An OAuth client that lives as long as the demo: nothing is stored. Its shape is what the v1 and the v2 SDK both ask
 * for; the person's browser is played by `browser.ts`.
 */
import { randomBytes } from 'node:crypto';

/** Nobody listens there: the browser below reads the redirect itself instead of following it. */
const REDIRECT = 'http://127.0.0.1/callback';

export class DemoOAuth<Information, Tokens, Discovery> {
  readonly redirectUrl = REDIRECT;
  readonly expectedState = randomBytes(16).toString('base64url');
  readonly #name: string;
  #information: Information | undefined;
  #tokens: Tokens | undefined;
  #discovery: Discovery | undefined;
  #verifier = '';
  /** Where the person was sent to sign in. */
  authorizationUrl: URL | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get clientMetadata() {
    return {
      client_name: this.#name,
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.expectedState;
  }

  clientInformation(): Information | undefined {
    return this.#information;
  }

  saveClientInformation(information: Information): void {
    this.#information = information;
  }

  tokens(): Tokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: Tokens): void {
    this.#tokens = tokens;
  }

  discoveryState(): Discovery | undefined {
    return this.#discovery;
  }

  saveDiscoveryState(state: Discovery): void {
    this.#discovery = state;
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}
