import { type ArchiveDigest, invalidRequest } from '@chat-web/protocol';

/** The active algorithms of RFC 9530. */
const ALGORITHMS = ['sha-256', 'sha-512'] as const;
/** A member of the dictionary. Keys are lower-case (RFC 8941); the RFC defines no parameters. */
const MEMBER = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*$/;

/**
 * The digests in a `Content-Digest` or `Repr-Digest` header, of the algorithms that are known here; none without the
 * header. Throws `invalid_request` for a header that cannot be used: its sender expects it to be verified.
 */
export function digestsIn(path: string, field: string | undefined): ArchiveDigest[] {
  if (field === undefined) return [];
  const members = field.split(',').map((member) => MEMBER.exec(member));
  const refuse = (message: string) => invalidRequest([{ path, message }]);
  if (members.includes(null)) throw refuse('must be a list such as sha-256=:<base64>:, as in RFC 9530');
  const digests = members.flatMap((member) => {
    const [, name, base64 = ''] = member ?? [];
    const algorithm = ALGORITHMS.find((one) => one === name);
    return algorithm ? [{ algorithm, bytes: Buffer.from(base64, 'base64') }] : [];
  });
  if (digests.length === 0) throw refuse(`must have a digest by ${ALGORITHMS.join(' or ')}`);
  return digests;
}
