import { type FieldError, invalidField, requiredField } from '../../../errors/field.error.js';
import { subdomain } from '../../../resources/name.rules.js';
import type { ServiceReference, WebhookClientConfig } from './webhook.types.js';

const FORM = '; desired format: https://host[/path]';
const URL_PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#]*)@)?([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/;

/** Finds the violations in the address of a webhook. */
export function validateClientConfig({ url, service }: WebhookClientConfig, path: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [requiredField(path, 'exactly one of url or service is required')];
  }
  return url === undefined ? validateService(service!, `${path}.service`) : validateUrl(url, `${path}.url`);
}

function validateUrl(url: string, path: string): FieldError[] {
  const [, scheme = '', user, host = '', query = '', fragment = ''] = URL_PARTS.exec(url) ?? [];
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalidField(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  }
  if (!host) errors.push(invalidField(path, host, `host must be specified${FORM}`));
  if (user !== undefined) errors.push(invalidField(path, user, 'user information is not permitted in the URL'));
  if (fragment) errors.push(invalidField(path, fragment, 'fragments are not permitted in the URL'));
  if (query) errors.push(invalidField(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function validateService({ namespace, name, path: urlPath, port = 443 }: ServiceReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // The real server mixes them up.
  if (!namespace) errors.push(requiredField(`${path}.name`));
  if (!name) errors.push(requiredField(`${path}.namespace`));
  if (port < 1 || port > 65535) {
    const detail = 'port is not valid: must be between 1 and 65535, inclusive';
    errors.push(invalidField(`${path}.port`, port, detail));
  }
  return urlPath ? [...errors, ...validatePath(urlPath, `${path}.path`)] : errors;
}

function validatePath(urlPath: string, path: string): FieldError[] {
  if (urlPath === '/') return [];
  if (urlPath === '//') return [invalidField(path, urlPath, 'segment[0] may not be empty')];
  const errors = urlPath.startsWith('/') ? [] : [invalidField(path, urlPath, "must start with a '/'")];
  const segments = urlPath.slice(1).replace(/\/$/, '').split('/');
  for (const [index, segment] of segments.entries()) {
    if (segment === '') errors.push(invalidField(path, urlPath, `segment[${index}] may not be empty`));
    else {
      const problems = subdomain(segment).map((problem) => `segment[${index}]: ${problem}`);
      errors.push(...problems.map((problem) => invalidField(path, urlPath, problem)));
    }
  }
  return errors;
}
