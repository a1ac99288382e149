/**
 * Chooses the size of a test that takes long: the short form is part of `npm test`, the long one of `npm run test:long`, which is to be
 * run before a release, and by continuous integration.
 */
export function byForm<T>(forms: { readonly short: T; readonly long: T }): T {
  return process.env.TEST_FORM === 'long' ? forms.long : forms.short;
}
