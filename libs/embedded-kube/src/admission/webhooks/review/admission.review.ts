import { type AdmissionView, requestHead } from '../matching/admission.view.js';

/** The versions of reviews that can be sent. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** Writes the review of a write; objects that are JSON already are not made again. */
export function reviewText(version: ReviewVersion, uid: string, view: AdmissionView): string {
  const head = JSON.stringify({ uid, ...requestHead(view) }).slice(1, -1);
  const options = JSON.stringify(view.attributes.options);
  const request = `${head},"object":${view.objectJson},"oldObject":${view.previousJson},"options":${options}`;
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":{${request}}}`;
}
