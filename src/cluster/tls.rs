//! Mutual TLS 1.3 around the connections between nodes. Both ends show a certificate of one authority. The names in
//! the certificates are not compared with addresses: the authority is the cluster's own, so that everybody who has
//! a certificate of it is a node. Which node it is, and that it is a member now, is for the handshake of tunnels inside.

#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::{Resumption, verify_server_cert_signed_by_trust_anchor};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::server::{NoServerSessionStorage, ParsedCertificate, WebPkiClientVerifier};
use tokio_rustls::rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, ServerConfig, SignatureScheme, version,
};
use tokio_rustls::{TlsAcceptor, TlsConnector, TlsStream};
use tokio_util::either::Either;

use super::network::NodeSocket;

/// A connection between two nodes, with TLS or without.
pub type NodeStream = Either<NodeSocket, Box<TlsStream<NodeSocket>>>;

/// Why the certificates of this node are of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// A file is not what it should be.
    #[error("--cluster-{file} names a file without {what} in the format PEM")]
    NoPem {
        /// The last word of its flag.
        file: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// Other nodes would turn this certificate away.
    #[error(
        "the certificate of --cluster-cert is not valid now for both ends of a connection, or not of the authority of \
         --cluster-ca: {0}"
    )]
    Certificate(String),
    /// The key belongs to another certificate, or is of a kind that is not known.
    #[error("the key of --cluster-key does not fit the certificate of --cluster-cert: {0}")]
    Key(String),
}

/// The certificates of this node, and of the authority of all nodes. Clones are the same.
#[derive(Clone)]
pub struct NodeTls {
    dialing: TlsConnector,
    accepting: TlsAcceptor,
}

impl NodeTls {
    /// Reads the certificate of the authority, the node's certificate with those between it and the authority, and
    /// its key, all in PEM.
    ///
    /// # Errors
    ///
    /// If one of them is of no use.
    pub fn new(authority: &[u8], certificate: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(certificates("ca", authority)?);
        if added == 0 {
            return Err(TlsError::NoPem { file: "ca", what: "a certificate" });
        }
        let chain = certificates("cert", certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|_| TlsError::NoPem { file: "key", what: "a private key" })?;
        let (provider, roots) = (Arc::new(ring::default_provider()), Arc::new(roots));
        let verifier = SameAuthority { roots, algorithms: provider.signature_verification_algorithms };
        let clients = verifier.of_clients(&provider)?;
        verifier.check_own(&chain, &*clients)?;
        let accepting = accepting(&provider, clients, &chain, key.clone_key()).map_err(key_error)?;
        let dialing = dialing(&provider, verifier, chain, key).map_err(key_error)?;
        Ok(Self { dialing: Arc::new(dialing).into(), accepting: Arc::new(accepting).into() })
    }

    /// Begins TLS as the node that has dialed a machine. How long it may take is up to the caller.
    ///
    /// # Errors
    ///
    /// If the other end has no certificate of the authority, or does not speak TLS. That this node's own certificate
    /// is turned away shows in the first bytes that are read.
    pub async fn dial(&self, stream: NodeSocket, machine: IpAddr) -> io::Result<NodeStream> {
        let stream = self.dialing.connect(ServerName::from(machine), stream).await?;
        Ok(Either::Right(Box::new(stream.into())))
    }

    /// Begins TLS as the node that was dialed. How long it may take is up to the caller.
    ///
    /// # Errors
    ///
    /// If the other end has no certificate of the authority, or does not speak TLS.
    pub async fn accept(&self, stream: NodeSocket) -> io::Result<NodeStream> {
        let stream = self.accepting.accept(stream).await?;
        Ok(Either::Right(Box::new(stream.into())))
    }
}

impl fmt::Debug for NodeTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NodeTls(…)")
    }
}

/// Whether this error is one of TLS: of certificates, or of a peer that does not speak it.
pub fn is_of_tls(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()).is_some()
}

fn certificates(file: &'static str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let all = all.ok().filter(|all| !all.is_empty());
    all.ok_or(TlsError::NoPem { file, what: "a certificate" })
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn key_error(error: Error) -> TlsError {
    TlsError::Key(error.to_string())
}

fn accepting(
    provider: &Arc<CryptoProvider>,
    clients: Arc<dyn ClientCertVerifier>,
    chain: &[CertificateDer<'static>],
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, Error> {
    let config = ServerConfig::builder_with_provider(Arc::clone(provider));
    let config = config.with_protocol_versions(&[&version::TLS13])?.with_client_cert_verifier(clients);
    let mut config = config.with_single_cert(chain.to_vec(), key)?;
    // Every tunnel shows its certificates anew, so that nothing has to be remembered.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(config)
}

fn dialing(
    provider: &Arc<CryptoProvider>,
    servers: SameAuthority,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ClientConfig, Error> {
    let config = ClientConfig::builder_with_provider(Arc::clone(provider));
    let config = config.with_protocol_versions(&[&version::TLS13])?.dangerous();
    let config = config.with_custom_certificate_verifier(Arc::new(servers));
    let mut config = config.with_client_auth_cert(chain, key)?;
    config.resumption = Resumption::disabled();
    config.enable_sni = false;
    Ok(config)
}

/// Accepts every certificate of the authority that is valid now, whatever name it has.
#[derive(Debug)]
struct SameAuthority {
    roots: Arc<RootCertStore>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl SameAuthority {
    /// The same for certificates of the nodes that dial.
    fn of_clients(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
        let (roots, provider) = (Arc::clone(&self.roots), Arc::clone(provider));
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build();
        verifier.map_err(|error| TlsError::Certificate(error.to_string()))
    }

    /// Checks the certificates of this node as other nodes do.
    fn check_own(
        &self,
        chain: &[CertificateDer<'_>],
        clients: &dyn ClientCertVerifier,
    ) -> Result<(), TlsError> {
        let (own, others) =
            chain.split_first().ok_or(TlsError::NoPem { file: "cert", what: "a certificate" })?;
        let now = UnixTime::now();
        let as_server = self.check(own, others, now);
        let checked = as_server.and_then(|()| clients.verify_client_cert(own, others, now));
        checked.map(drop).map_err(|error| TlsError::Certificate(error.to_string()))
    }

    fn check(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let own = ParsedCertificate::try_from(own)?;
        verify_server_cert_signed_by_trust_anchor(&own, &self.roots, others, now, self.algorithms.all)
    }
}

impl ServerCertVerifier for SameAuthority {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(own, others, now).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
