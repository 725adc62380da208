/**
 * Tokens that are recognised by the prefix that their service gives them, or by a part of a fixed form. The prefixes and
 * lengths are those that the services document for secret scanning. Longer values are accepted where a service says so.
 */

/** Tokens of a service. */
interface TokenForm {
  readonly id: string;
  /** The beginnings of the tokens, in their case. */
  readonly prefixes: readonly string[];
  /** A regular expression of what follows the prefix. Its first count is the least number of letters after the prefix. */
  readonly body: string;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** Returns a prefix with each of some continuations. */
const each = (prefix: string, ...endings: readonly string[]): string[] =>
  endings.map((ending) => prefix + ending);

/** The beginnings of digits in base64, from which the id of a Discord bot is made. */
const ENCODED_DIGITS = ["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"].flatMap((start) =>
  each(start, ..."AEIMQUYcgk"),
);

export const TOKENS: readonly TokenForm[] = [
  {
    id: "aws-access-key",
    prefixes: ["AKIA", "ASIA", "ABIA", "ACCA", "AIDA", "AROA", "AGPA", "ANPA"],
    body: "[A-Z0-9]{16}",
  },
  { id: "aws-bedrock-key", prefixes: ["ABSK"], body: "[A-Za-z0-9+/]{100,300}={0,2}" },
  { id: "aws-bedrock-key", prefixes: ["bedrock-api-key-"], body: "[A-Za-z0-9+/]{40,4000}={0,2}" },
  { id: "github-token", prefixes: each("gh", "p_", "o_", "u_", "s_", "r_"), body: "[A-Za-z0-9]{36,255}" },
  { id: "github-token", prefixes: ["ghs_"], body: "[\\w-]{20,400}\\.[\\w-]{8,2000}\\.[\\w-]{8,600}" },
  { id: "github-token", prefixes: ["github_pat_"], body: "\\w{22,255}" },
  {
    id: "gitlab-token",
    prefixes: [
      ...each("gl", "pat-", "dt-", "rt-", "rtr-", "ptt-", "ft-", "soat-", "cbt-", "agent-", "imt-", "oas-"),
      ...["glffct-", "glwt-", "GR1348941"],
    ],
    body: "[\\w-]{20,400}(?:\\.[0-9a-z]{2,9}){0,2}",
  },
  {
    id: "atlassian-token",
    prefixes: ["ATATT3", "ATCTT3", "ATBB"],
    body: "[A-Za-z0-9_-]{28,300}(?:=[A-F0-9]{8})?",
  },
  {
    id: "slack-token",
    prefixes: [
      "xoxa-",
      "xoxb-",
      "xoxc-",
      "xoxd-",
      "xoxe-",
      "xoxe.",
      "xoxo-",
      "xoxp-",
      "xoxr-",
      "xoxs-",
      "xapp-",
    ],
    body: "(?=[A-Za-z-]{0,20}\\d)[A-Za-z0-9%-]{16,600}",
  },
  { id: "slack-token", prefixes: ["xoxd-"], body: "[A-Za-z0-9%/+=]{20,600}" },
  { id: "slack-token", prefixes: ["xoxe.xoxp-", "xoxe.xoxb-"], body: "[A-Za-z0-9-]{20,600}" },
  { id: "discord-token", prefixes: ENCODED_DIGITS, body: "[A-Za-z0-9]{17,26}\\.[\\w-]{6}\\.[\\w-]{27,45}" },
  { id: "stripe-key", prefixes: each("sk_", "live_", "test_"), body: "[A-Za-z0-9]{16,255}" },
  { id: "stripe-key", prefixes: each("rk_", "live_", "test_"), body: "[A-Za-z0-9]{16,255}" },
  { id: "stripe-key", prefixes: ["whsec_"], body: "[A-Za-z0-9+/]{24,255}={0,2}" },
  { id: "secret-key", prefixes: ["sk_"], body: "(?=[A-Za-z_]{0,30}\\d)[A-Za-z0-9]{24,255}" },
  { id: "model-provider-key", prefixes: ["sk-"], body: "(?=[A-Za-z-]{0,40}[0-9_])[\\w-]{20,400}" },
  { id: "model-provider-key", prefixes: ["gsk_", "csk-", "pplx-", "xai-"], body: "[A-Za-z0-9]{32,128}" },
  { id: "model-provider-key", prefixes: ["r8_"], body: "[A-Za-z0-9]{36,50}" },
  { id: "model-provider-key", prefixes: ["fw_"], body: "(?=[A-Za-z]{0,20}\\d)[A-Za-z0-9]{20,64}" },
  { id: "model-provider-key", prefixes: ["fc-"], body: "[0-9a-f]{32}" },
  { id: "model-provider-key", prefixes: ["tgp_v1_", "nvapi-"], body: "[\\w-]{40,100}" },
  { id: "model-provider-key", prefixes: ["tvly-"], body: "(?=[A-Za-z-]{0,20}\\d)[A-Za-z0-9-]{24,80}" },
  { id: "model-provider-key", prefixes: ["lsv2_pt_", "lsv2_sk_"], body: "[0-9a-f]{32}_[0-9a-f]{10}" },
  { id: "model-provider-key", prefixes: ["pcsk_"], body: "[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,80}" },
  { id: "hugging-face-token", prefixes: ["hf_", "api_org_"], body: "[A-Za-z0-9]{30,255}" },
  { id: "google-api-key", prefixes: ["AIza"], body: "[\\w-]{35}" },
  { id: "google-oauth-token", prefixes: ["GOCSPX-"], body: "[\\w-]{24,40}" },
  { id: "google-oauth-token", prefixes: ["ya29."], body: "[\\w.-]{20,2000}" },
  { id: "google-oauth-token", prefixes: ["1//0"], body: "[\\w-]{30,200}" },
  { id: "package-registry-token", prefixes: ["npm_"], body: "[A-Za-z0-9]{36}" },
  { id: "package-registry-token", prefixes: ["pypi-"], body: "[\\w-]{50,1000}" },
  { id: "package-registry-token", prefixes: ["rubygems_"], body: "[0-9a-f]{48}" },
  { id: "package-registry-token", prefixes: ["oy2"], body: "[a-z0-9]{43}" },
  { id: "package-registry-token", prefixes: ["cio"], body: "[A-Za-z0-9]{32}" },
  { id: "package-registry-token", prefixes: ["CLOJARS_"], body: "[0-9a-f]{60}" },
  { id: "package-registry-token", prefixes: ["AKCp"], body: "[A-Za-z0-9]{69,80}" },
  { id: "package-registry-token", prefixes: ["cmVmdGtuOj"], body: "[A-Za-z0-9]{54}" },
  { id: "docker-token", prefixes: each("dckr_", "pat_", "oat_"), body: "[\\w-]{24,64}" },
  { id: "sendgrid-key", prefixes: ["SG."], body: "[\\w-]{16,200}\\.[\\w-]{16,200}" },
  { id: "mail-service-key", prefixes: ["key-"], body: "[0-9a-f]{32}" },
  { id: "mail-service-key", prefixes: ["xkeysib-", "xsmtpsib-"], body: "[0-9a-f]{64}-[A-Za-z0-9]{16}" },
  { id: "mail-service-key", prefixes: ["re_"], body: "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}" },
  { id: "mail-service-key", prefixes: ["md-"], body: "(?=[A-Za-z_-]{0,21}\\d)[\\w-]{22}" },
  { id: "twilio-key", prefixes: each("SK", ..."0123456789abcdef"), body: "[0-9a-f]{31}" },
  { id: "payment-token", prefixes: ["EAAA"], body: "[\\w-]{56,64}" },
  { id: "payment-token", prefixes: each("sq0", "atp-", "csp-", "idp-"), body: "[\\w-]{22,64}" },
  {
    id: "payment-token",
    prefixes: ["access_token$production$", "access_token$sandbox$"],
    body: "[0-9a-z]{16}\\$[0-9a-f]{32}",
  },
  { id: "payment-token", prefixes: ["FLWSECK-", "FLWSECK_TEST-"], body: "[0-9a-z]{32}-X" },
  { id: "payment-token", prefixes: each("access-", "sandbox-", "development-", "production-"), body: UUID },
  { id: "payment-token", prefixes: ["AQE"], body: "[A-Za-z0-9+/]{60,200}[.-][A-Za-z0-9+/=.-]{20,200}" },
  { id: "payment-token", prefixes: each("rzp_", "live_secret_", "test_secret_"), body: "[A-Za-z0-9]{14,40}" },
  { id: "shop-token", prefixes: each("shp", "at_", "ca_", "pa_", "ss_", "ua_"), body: "[A-Za-z0-9]{32,64}" },
  { id: "shop-token", prefixes: ["EZAK", "EZTK"], body: "[A-Za-z0-9]{54}" },
  { id: "shop-token", prefixes: each("shippo_", "live_", "test_"), body: "[0-9a-f]{40}" },
  { id: "shop-token", prefixes: each("duffel_", "live_", "test_"), body: "[\\w=-]{43}" },
  { id: "shop-token", prefixes: ["live_", "test_"], body: "[0-9a-f]{35}" },
  { id: "databricks-token", prefixes: ["dapi"], body: "[0-9a-fA-F]{32}(?:-\\d)?" },
  { id: "database-token", prefixes: each("pscale_", "tkn_", "pw_", "oauth_"), body: "[\\w=.-]{32,64}" },
  { id: "database-token", prefixes: ["sbp_"], body: "[0-9a-f]{40}" },
  { id: "database-token", prefixes: ["sb_secret_"], body: "[\\w-]{20,64}" },
  { id: "database-token", prefixes: ["napi_"], body: "[a-z0-9]{40,80}" },
  { id: "database-token", prefixes: ["mdb_sa_sk_"], body: "[\\w-]{32,64}" },
  { id: "workspace-token", prefixes: ["pat"], body: "[A-Za-z0-9]{14}\\.[0-9a-f]{64}" },
  { id: "workspace-token", prefixes: ["ntn_"], body: "[A-Za-z0-9]{40,60}" },
  { id: "workspace-token", prefixes: ["secret_"], body: "(?=[A-Za-z]{0,30}\\d)[A-Za-z0-9]{43}" },
  { id: "workspace-token", prefixes: each("lin_", "api_", "oauth_"), body: "[A-Za-z0-9]{40,64}" },
  { id: "workspace-token", prefixes: ["figd_", "figo_", "figu_"], body: "[\\w-]{36,64}" },
  { id: "workspace-token", prefixes: ["CFPAT-"], body: "[\\w-]{43}" },
  { id: "workspace-token", prefixes: ["tfp_"], body: "[\\w-]{40,64}" },
  { id: "workspace-token", prefixes: each("pat-", "na1-", "eu1-", "na2-", "ap1-"), body: UUID },
  { id: "workspace-token", prefixes: ["PMAK-"], body: "[0-9a-f]{24}-[0-9a-f]{34}" },
  { id: "workspace-token", prefixes: ["rdme_"], body: "[a-z0-9]{70}" },
  { id: "workspace-token", prefixes: ["sl."], body: "[\\w.-]{60,1500}" },
  { id: "workspace-token", prefixes: ["p8e-"], body: "[a-z0-9]{32}" },
  { id: "workspace-token", prefixes: ["fio-u-"], body: "[\\w=-]{64}" },
  { id: "social-media-token", prefixes: each("EAA", "C", "M", "G", "B", "D"), body: "[A-Za-z0-9]{100,400}" },
  { id: "social-media-token", prefixes: ["AAAAAAAAAAAAAAAAAAAAA"], body: "[A-Za-z0-9%]{30,200}" },

  { id: "social-media-token", prefixes: ["WPL_AP1."], body: "[A-Za-z0-9]{10,40}\\.[\\w+/=]{4,20}" },
  { id: "firebase-key", prefixes: ["AAAA"], body: "[\\w-]{7}:APA91b[\\w-]{100,200}" },
  { id: "mapbox-token", prefixes: ["sk.eyJ"], body: "[\\w-]{20,200}\\.[\\w-]{20,60}" },
  { id: "monitoring-key", prefixes: ["NRAK-", "NRJS-", "NRAA-", "NRII-", "NRIQ-"], body: "[\\w-]{19,40}" },
  { id: "monitoring-key", prefixes: ["glsa_"], body: "[A-Za-z0-9]{32}_[0-9a-f]{8}" },
  { id: "monitoring-key", prefixes: ["glc_", "eyJrIjoi"], body: "[A-Za-z0-9+/]{32,400}={0,3}" },
  { id: "monitoring-key", prefixes: ["sntrys_"], body: "[A-Za-z0-9+/]{20,400}={0,2}_[A-Za-z0-9+/]{43}" },
  { id: "monitoring-key", prefixes: ["sntryu_"], body: "[0-9a-f]{64}" },
  { id: "monitoring-key", prefixes: ["dt0c01.", "dt0s16.", "dt0s01."], body: "[A-Z0-9]{24}\\.[A-Z0-9]{64}" },
  { id: "monitoring-key", prefixes: ["hcaik_", "hcxik_", "hcalk_", "hcamk_"], body: "[a-z0-9]{58,64}" },
  { id: "monitoring-key", prefixes: ["xaat-", "xapt-"], body: UUID },
  { id: "monitoring-key", prefixes: ["phx_"], body: "[\\w-]{40,64}" },
  { id: "quality-service-token", prefixes: each("sq", "p_", "u_", "a_"), body: "[0-9a-f]{40}" },
  { id: "quality-service-token", prefixes: ["sgp_"], body: "(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}" },
  { id: "feature-flag-key", prefixes: ["sdk-", "api-"], body: UUID },
  { id: "cloud-token", prefixes: ["dop_v1_", "doo_v1_", "dor_v1_"], body: "[0-9a-f]{64}" },
  { id: "cloud-token", prefixes: each("vc", "p_", "i_", "a_", "r_", "k_"), body: "[A-Za-z0-9]{40,64}" },
  { id: "cloud-token", prefixes: ["cfat_", "cfut_", "cfk_"], body: "[A-Za-z0-9]{40,60}" },
  { id: "cloud-token", prefixes: ["HRKU-AA"], body: "[\\w-]{50,64}" },
  { id: "cloud-token", prefixes: ["fm2_", "fm1r_", "fm1a_"], body: "[A-Za-z0-9+/]{100,2000}={0,3}" },
  { id: "cloud-token", prefixes: ["fo1_"], body: "[\\w-]{43}" },
  { id: "cloud-token", prefixes: each("nf", "p_", "c_", "o_", "b_", "u_"), body: "[A-Za-z0-9]{36,40}" },
  { id: "cloud-token", prefixes: ["v1.0-"], body: "[0-9a-f]{24}-[0-9a-f]{146}" },
  { id: "cloud-token", prefixes: ["LTAI"], body: "[A-Za-z0-9]{16,20}" },
  { id: "cloud-token", prefixes: ["t1."], body: "[\\w-]{50,120}={0,2}\\.[\\w-]{80,90}={0,2}" },
  { id: "cloud-token", prefixes: ["AQVN", "y0_"], body: "[\\w-]{35,70}" },
  { id: "cloud-token", prefixes: ["rnd_"], body: "[A-Za-z0-9]{24,40}" },
  { id: "cloud-token", prefixes: ["tk-us-"], body: "[\\w-]{48}" },
  {
    id: "network-key",
    prefixes: ["tskey-"],
    body: "[A-Za-z0-9-]{20,80}",
  },
  { id: "vault-token", prefixes: ["hvs.", "hvb.", "hvr."], body: "[\\w-]{18,400}" },
  {
    id: "vault-token",
    prefixes: each("dp.", "pt.", "ct.", "sa.", "st.", "scim.", "audit."),
    body: "[\\w.-]{40,60}",
  },
  { id: "vault-token", prefixes: ["ops_eyJ"], body: "[\\w+/-]{100,1000}={0,3}" },
  {
    id: "vault-token",
    prefixes: ["A3-"],
    body: "[A-Z0-9]{6}-(?:[A-Z0-9]{6}-[A-Z0-9]{5}|[A-Z0-9]{11})(?:-[A-Z0-9]{5}){3}",
  },
  { id: "age-key", prefixes: ["AGE-SECRET-KEY-1"], body: "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}" },
  { id: "build-service-token", prefixes: ["pul-"], body: "[0-9a-f]{40}" },
  { id: "build-service-token", prefixes: ["CCIPAT_", "CCIPRJ_"], body: "[A-Za-z0-9]{16,30}_[0-9a-f]{40}" },
  { id: "build-service-token", prefixes: ["bkua_"], body: "[0-9a-f]{40}" },
  { id: "build-service-token", prefixes: ["API-"], body: "[A-Z0-9]{26}" },
  {
    id: "build-service-token",
    prefixes: ["pat.", "sat."],
    body: "[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}",
  },
  { id: "build-service-token", prefixes: ["pnu_", "pnb_"], body: "[A-Za-z0-9]{36}" },
  { id: "build-service-token", prefixes: ["s-s4t2ud-", "s-s4t2af-"], body: "[0-9a-f]{64}" },
  { id: "build-service-token", prefixes: ["sm_aat_", "sm_pat_", "sm_sat_"], body: "[A-Za-z0-9]{16}" },
  { id: "cluster-token", prefixes: ["sha256~"], body: "[\\w-]{43}" },
  { id: "cluster-token", prefixes: ["token-"], body: "[a-z0-9]{5}:[a-z0-9]{54}" },
];

const escapePattern = (text: string): string => text.replace(/[$.*+?()[\]{}|\\/]/g, "\\$&");

/** Returns the regular expression of a row, which is a whole word. */
export function createTokenPattern({ prefixes, body }: TokenForm): RegExp {
  return new RegExp(
    `(?<![A-Za-z0-9])(?:${prefixes.map(escapePattern).join("|")})${body}(?![A-Za-z0-9])`,
    "dg",
  );
}

/** Returns how many letters follow the prefix at least, and whether other signs of base64 or of URLs may be among them. */
export function describeLetters({ body }: TokenForm): { readonly least: number; readonly isWide: boolean } {
  const [, letters = "", least = "0"] =
    /^(\[[^\]]*\]|\\w)\{(\d+)/.exec(body.replace(/^\(\?=(?:[^()[]|\[[^\]]*\])*\)/, "")) ?? [];
  return { least: Number(least), isWide: /[.%+/=]/.test(letters) };
}
