import { Injectable } from '@nestjs/common';
import { Needs } from 'nestjs-kopf';

/** The declaration of the permissions that the operator needs so that the API server authorizes actions of the console. */
@Injectable()
@Needs({ 'subjectaccessreviews.authorization.k8s.io': ['create'] })
export class AccessReviews {}
