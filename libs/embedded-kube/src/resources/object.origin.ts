/** What an object was made from: the body of a request, a patch, or a configuration that was applied. The server words its refusals accordingly. */
export type ObjectOrigin = 'body' | 'patch' | 'apply';
