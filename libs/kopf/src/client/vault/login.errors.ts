import { KopfError } from '../../common/kopf.errors.js';

/** Credentials are there but cannot be used: a file is missing or unreadable, a plugin failed, fields contradict. */
export class CredentialsError extends KopfError {
  readonly code: string = 'KOPF_CREDENTIALS';
}

/** There are no credentials that the API server accepts. */
export class LoginError extends CredentialsError {
  override readonly code = 'KOPF_LOGIN';
}
