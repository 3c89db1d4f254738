import { type FieldIssue, GatewayError } from '@chat-web/protocol';

/** How many bad fields an answer lists. */
const MOST_ISSUES = 20;

/** A 400 that names what is wrong, without the values sent. Path `''` stands for the body as a whole. */
export function invalidRequest(issues: readonly FieldIssue[]): GatewayError {
  const listed = issues.slice(0, MOST_ISSUES);
  const named = listed.map(({ path, message }) => (path ? `${path} ${message}` : message));
  if (issues.length > listed.length) named.push(`and ${issues.length - listed.length} more`);
  return new GatewayError('invalid_request', `the request is not valid: ${named.join('; ')}`, listed);
}
