import { Injectable } from '@nestjs/common';
import { Needs } from 'nestjs-kopf';

/** The declaration of the permissions that the operator needs so that the API server authorizes actions of the console. */
@Injectable()
@Needs({ 'subjectaccessreviews.authorization.k8s.io': ['create'] })
export class AccessReviews {}

/** The declaration of the permissions that the operator needs to show the logs of the pods that objects own. */
@Injectable()
@Needs({ pods: ['list'], 'pods/log': ['get'], 'replicasets.apps': ['get'], 'jobs.batch': ['get'] })
export class PodLogReads {}
