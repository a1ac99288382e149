import { Injectable } from '@nestjs/common';
import { Needs } from '../decorators/needs.decorator.js';

/** Declares what the operator must be allowed to do so that the API server can say who may act in the console. */
@Injectable()
@Needs({ 'subjectaccessreviews.authorization.k8s.io': ['create'] })
export class AccessReviews {}
